import ControlPoint
import Glibc
import Network
import UPnP

/// Finds the devices that a command is about.
struct DeviceFinder: Sendable {
  /// How long responses to the first search may take: MX 1, and the time to read descriptions.
  static let settling = Duration.milliseconds(1600)

  let session: Session

  init(_ session: Session) { self.session = session }

  static let renderers: Set<DeviceKind> = [.mediaRenderer, .openHomeProduct]
  static let servers: Set<DeviceKind> = [.mediaServer]
  static let everything: Set<DeviceKind> = [.any, .mediaRenderer, .mediaServer, .openHomeProduct]

  private var time: Duration { Duration(fractionalSeconds: session.options.timeout) }

  /// All devices of some kinds that answer within the time.
  func all(_ kinds: Set<DeviceKind>) async throws -> [FoundDevice] {
    let collected = Collected()
    let stream = await session.controlPoint().devices(kinds)
    _ = try await within(min(time, Self.settling + .milliseconds(900))) {
      for await change in stream { await collected.take(change) }
    }
    try Task.checkCancellation()
    let devices = await collected.devices
    KnownDevices.remember(devices.map { KnownDevices.Entry($0) })
    return devices
  }

  /// The device that a user names.
  ///
  /// - Parameter noun: what is looked for, in words.
  func device(_ text: String, of kinds: Set<DeviceKind> = everything, noun: String = "device") async throws
    -> FoundDevice
  {
    let query = DeviceQuery(text)
    if case .url(let url) = query { return try await device(at: url, of: kinds, noun: noun) }
    if let known = await known({ query.fit($0).map { $0 <= .name } ?? false }, of: kinds) { return known }
    let (found, seen) = try await search(kinds) { devices, isComplete in
      let chosen = query.choose(devices)
      guard chosen.count == 1 else { return nil }
      return isComplete || query.fit(chosen[0]).map { $0 < .address } == true ? chosen[0] : nil
    }
    if let found { return found }
    let chosen = query.choose(seen)
    let list = (chosen.isEmpty ? seen : chosen).map(\.line).sorted()
    throw Failure(
      .noDevice, chosen.isEmpty ? "no \(noun) \"\(text)\"" : "\"\(text)\" may be any of these; say more", hints: list)
  }

  /// The renderer of the command: what `-r` names, or the default.
  func renderer() async throws -> FoundDevice {
    let named = session.options.renderer ?? Environment.value("VIREO_RENDERER") ?? ChosenRenderer.read()
    if let named, !named.isEmpty {
      return try await device(named, of: Self.renderers, noun: "renderer")
    }
    let own = session.ownAddresses
    if let known = await known({ DefaultRenderer.choose([$0], own: own, isComplete: false) != nil }, of: Self.renderers)
    {
      return known
    }
    let (found, seen) = try await search(Self.renderers) { devices, isComplete in
      DefaultRenderer.choose(devices, own: own, isComplete: isComplete)
    }
    if let found { return found }
    throw Failure(
      .noDevice, seen.isEmpty ? "no renderer answered" : "there are several renderers; say which with -r",
      hints: seen.isEmpty ? ["\"vireoctl doctor\" looks for the reason"] : seen.map(\.line).sorted())
  }

  // MARK: -

  /// Looks until `choose` takes one, or the time is over.
  ///
  /// - Parameter choose: its second argument is true when no more are expected.
  private func search(
    _ kinds: Set<DeviceKind>, _ choose: @escaping @Sendable ([DeviceFacts], Bool) -> DeviceFacts?
  ) async throws -> (FoundDevice?, [DeviceFacts]) {
    let collected = Collected()
    let stream = await session.controlPoint().devices(kinds)
    func look(for time: Duration, isComplete: Bool) async throws -> FoundDevice? {
      try await within(time) {
        if isComplete, let chosen = choose(await collected.facts, true) { return await collected[chosen.udn] }
        for await change in stream {
          await collected.take(change)
          if let chosen = choose(await collected.facts, isComplete) { return await collected[chosen.udn] }
        }
        return nil
      } ?? nil
    }
    let settling = min(time, Self.settling)
    var found = try await look(for: settling, isComplete: false)
    // Whoever hasn't answered by now has missed the first search, or is slow.
    if found == nil { found = try await look(for: max(time - settling, .milliseconds(1)), isComplete: true) }
    try Task.checkCancellation()
    KnownDevices.remember(await collected.devices.map { KnownDevices.Entry($0) })
    return (found, await collected.facts)
  }

  /// A device that was seen earlier and is still where it was.
  private func known(
    _ isWanted: (DeviceFacts) -> Bool, of kinds: Set<DeviceKind>
  ) async -> FoundDevice? {
    let entries = KnownDevices.read().filter { isWanted($0.facts) }
    // Several would have to be told apart.
    guard entries.count == 1, let address = ServiceAddress(url: entries[0].url) else { return nil }
    let devices = try? await FoundDevice.read(at: address, through: session.exchange, deadline: .seconds(1))
    return devices?.first { device in
      device.udn == entries[0].udn && kinds.contains { $0.matches(device) } && isWanted(DeviceFacts(device))
    }
  }

  private func device(at url: String, of kinds: Set<DeviceKind>, noun: String) async throws -> FoundDevice {
    guard let address = ServiceAddress(url: url) else {
      throw Failure(.noDevice, "\(url) isn't a URL that can be read: http, and a host that has an address")
    }
    let devices: [FoundDevice]
    do throws(ActionFailure) {
      devices = try await FoundDevice.read(at: address, through: session.exchange)
    } catch {
      throw error == .status(404) ? Failure(.noDevice, "there is no description at \(url)") : Failure(error, from: url)
    }
    guard let device = devices.first(where: { device in kinds.contains { $0.matches(device) } }) else {
      throw Failure(.noDevice, "the device at \(url) is no \(noun)")
    }
    return device
  }

  /// The devices that are there.
  private actor Collected {
    private var byUDN: [String: FoundDevice] = [:]

    var devices: [FoundDevice] { Array(byUDN.values) }
    var facts: [DeviceFacts] { byUDN.values.map { DeviceFacts($0) } }
    subscript(udn: String) -> FoundDevice? { byUDN[udn] }

    func take(_ change: DeviceChange) {
      switch change {
      case .appeared(let device), .updated(let device), .restarted(let device): byUDN[device.udn] = device
      case .expired(let device), .left(let device): byUDN[device.udn] = nil
      }
    }
  }
}
