import ControlPoint
import DIDLLite
import Glibc
import HTTP
import NIOCore
import Network
import UPnP

/// Finds out the facts that ``DoctorChecks`` judge.
struct Examination: Sendable {
  static let maximumDescriptions = 128
  static let parallel = 8

  let session: Session
  /// What the user asks for.
  let wanted: String?

  func facts() async throws -> DoctorFacts {
    var facts = DoctorFacts()
    let all = try await OwnInterfaces.read(session)
    let selection = InterfaceSelection(names: session.options.interfaces)
    facts.interfaces = selection.served(of: all)
    facts.named = selection.names
    facts.guests = selection.leftOut(of: all).map(\.name)
    facts.isPortTaken = Self.isPortTaken
    facts.firewalls = HostFirewalls.active
    facts.bridges = HostFacts.bridges(facts.interfaces.map(\.name))
    facts.clock = time(nil)
    facts.isClockSet = HostFacts.isClockSet
    facts.wanted = wanted
    facts.wantedAddress = wanted.flatMap { IPAddress($0) ?? CallbackURL($0)?.address }
    let survey = Survey(
      interfaces: selection.announced(of: all), wanted: facts.wantedAddress,
      userAgent: HostConfiguration.serverToken(product: "vireoctl", version: Version.number))
    (facts.endpoints, facts.answers) = try await survey.run()
    facts.descriptions = await described(facts)
    if let address = facts.wantedAddress, !facts.answers.contains(where: { $0.sender.unmapped == address }) {
      facts.isWantedReachable = await isReachable(address)
    }
    return facts
  }

  /// True if no other program can share port 1900.
  private static var isPortTaken: Bool {
    do {
      try UDPSocket.receiving(port: SSDPGroup.port, ipv6: false, prefix: "M-SE").close()
      return false
    } catch { return (error as? IOError)?.errnoCode == EADDRINUSE }
  }

  // MARK: - Descriptions

  private func described(_ facts: DoctorFacts) async -> [DoctorFacts.Described] {
    var places: [(url: String, address: ServiceAddress)] = []
    var known: Set<String> = []
    for answer in facts.answers where known.insert(answer.location).inserted {
      // Only what is on our links: anybody may name anything.
      guard let url = CallbackURL(answer.location), places.count < Self.maximumDescriptions,
        let interface = facts.interfaces.first(where: { $0.name == answer.interface }),
        interface.address(reaching: url.address) != nil
      else { continue }
      let scope = url.address.needsScope ? interface.index : nil
      places.append(
        (answer.location, .init(address: url.address, port: url.port, interface: scope, target: url.target)))
    }
    return await withTaskGroup(of: (Int, [DoctorFacts.Described]).self) { group in
      var read: [Int: [DoctorFacts.Described]] = [:]
      for (index, place) in places.enumerated() {
        if index >= Self.parallel, let (index, devices) = await group.next() { read[index] = devices }
        group.addTask { (index, await describe(place.url, place.address)) }
      }
      for await (index, devices) in group { read[index] = devices }
      return places.indices.flatMap { read[$0] ?? [] }
    }
  }

  private func describe(_ url: String, _ address: ServiceAddress) async -> [DoctorFacts.Described] {
    let root: RootDescription
    let date: String?
    do throws(ActionFailure) {
      let response = try await session.controlPoint.exchange.exchange(
        ExchangeRequest("GET"), to: address, deadline: .seconds(5), limit: RootDescription.limits.bytes)
      guard response.status == 200 else { throw .status(response.status) }
      date = response.fields.first("date")
      guard let read = try? RootDescription.read(response.body) else { throw .malformed }
      root = read
    } catch { return [.init(url: url, failure: error)] }
    let offset = date.flatMap { HTTPDateReading.seconds($0) }.map { $0 - time(nil) }
    var described: [DoctorFacts.Described] = []
    var pending = [root.device]
    while let device = pending.popLast() {
      pending += device.devices
      var facts = DoctorFacts.Described(
        url: url, udn: device.udn, name: device.friendlyName, clockOffset: offset)
      facts.isServer = device.deviceType.contains(":device:MediaServer:")
      facts.isRenderer =
        device.deviceType.contains(":device:MediaRenderer:")
        || device.services.contains { $0.type.hasPrefix("urn:av-openhome-org:service:Product:") }
      if facts.isRenderer { facts.sink = await sink(of: device, root, url, address) }
      described.append(facts)
    }
    return described
  }

  /// The types of content that a renderer says it plays; nil if it doesn't say, or says that it plays everything.
  private func sink(
    of device: DeviceDescription, _ root: RootDescription, _ url: String, _ address: ServiceAddress
  ) async -> [String]? {
    let type = "urn:schemas-upnp-org:service:ConnectionManager:"
    guard let service = device.services.first(where: { $0.type.hasPrefix(type) }),
      let control = root.resolved(service.controlURL, location: url).flatMap({ CallbackURL($0) }),
      control.address == address.address
    else { return nil }
    let location = ServiceLocation(
      udn: device.udn, type: service.type, id: service.id,
      control: .init(
        address: control.address, port: control.port, interface: address.interface, target: control.target))
    guard
      let results = try? await session.controlPoint.service(location).call(
        "GetProtocolInfo", isRepeatable: true)
    else {
      return nil
    }
    let types = results.text("Sink").split(separator: ",").map { ProtocolInfo(String($0))?.mimeType }
    guard !types.isEmpty, !types.contains(nil) else { return nil }
    return Array(Set(types.compactMap { $0.flatMap { MIMEType($0)?.name } })).sorted()
  }

  /// True if anything answers by HTTP there.
  private func isReachable(_ address: IPAddress) async -> Bool {
    for port in [49494, 80] {
      let place = ServiceAddress(address: address, port: port, target: "/")
      do throws(ActionFailure) {
        _ = try await session.controlPoint.exchange.exchange(
          ExchangeRequest("GET"), to: place, deadline: .seconds(2), limit: 64 * 1024)
        return true
      } catch {
        if error == .malformed || error == .tooLarge { return true }
      }
    }
    return false
  }
}
