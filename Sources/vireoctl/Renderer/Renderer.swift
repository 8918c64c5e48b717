import ControlPoint
import Proxies
import UPnP

/// A renderer, by whatever it speaks.
struct Renderer: Sendable {
  let devices: [FoundDevice]
  let session: Session
  private let locations: [RendererService: ServiceLocation]

  init(_ devices: [FoundDevice], _ session: Session) {
    self.devices = devices
    self.session = session
    var locations: [RendererService: ServiceLocation] = [:]
    for service in RendererService.allCases {
      locations[service] = devices.lazy.compactMap { $0.service(service.rawValue) }.first
    }
    self.locations = locations
  }

  var name: String { PlayerFacts(devices: devices.map { DeviceFacts($0) }).name }
  /// Of the half that speaks OpenHome, if there is one.
  var udn: String { (devices.first { DeviceKind.openHomeProduct.matches($0) } ?? devices.first)?.udn ?? "" }
  var services: Set<RendererService> { Set(locations.keys) }
  var isOpenHome: Bool { locations[.product] != nil }

  func location(_ service: RendererService) -> ServiceLocation? { locations[service] }

  /// A typed proxy.
  ///
  /// - Throws: ``Failure`` if the renderer lacks the service.
  func proxy<Proxy: ServiceProxy>(_ service: RendererService, _: Proxy.Type = Proxy.self) throws -> Proxy {
    guard let location = locations[service] else {
      let word = service.rawValue.split(separator: ":").last ?? ""
      let isOpenHome = service.rawValue.hasPrefix("urn:av-openhome-org:")
      throw Failure(
        .refused, "\(name) has no \(word)\(isOpenHome ? ": only renderers that speak OpenHome do that" : "")")
    }
    return Proxy(session.controlPoint.service(location))
  }

  /// Calls an action whose results are read leniently: many renderers send text in the place of numbers. Nil if it fails.
  func ask(_ service: RendererService, _ action: String, _ arguments: [(String, String)] = []) async
    -> ActionResults?
  {
    guard let location = locations[service] else { return nil }
    return try? await session.controlPoint.service(location).call(
      action, arguments.map { SOAPArgument(name: $0.0, text: $0.1) }, isRepeatable: true)
  }

  /// Runs calls, and says which renderer they failed at.
  func attempt<Value: Sendable>(_ body: () async throws(ActionFailure) -> Value) async throws -> Value {
    do throws(ActionFailure) {
      return try await body()
    } catch {
      throw Failure(error, from: name)
    }
  }

  /// What a command says that has changed something: nothing to people, who and what to programs.
  func done(_ members: KeyValuePairs<String, JSON?> = [:]) -> Report {
    var all: [JSON.Member] = [.init(name: "renderer", value: .string(name))]
    if case .object(let more) = JSON.members(members) { all += more }
    return .lines([], json: .object(all))
  }
}
