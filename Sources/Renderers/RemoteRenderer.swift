import ControlPoint
import Proxies
import UPnP

/// A renderer, by whatever it speaks.
package struct RemoteRenderer: Sendable {
  package let devices: [FoundDevice]
  package let controlPoint: ControlPoint
  private let locations: [RendererService: ServiceLocation]

  /// - Parameter devices: one, or the two halves of one that speaks OpenHome and has an AVTransport beside that.
  package init(_ devices: [FoundDevice], through controlPoint: ControlPoint) {
    self.devices = devices
    self.controlPoint = controlPoint
    var locations: [RendererService: ServiceLocation] = [:]
    for service in RendererService.allCases {
      locations[service] = devices.lazy.compactMap { $0.service(service.rawValue) }.first
    }
    self.locations = locations
  }

  package var name: String { PlayerFacts(devices: devices.map { DeviceFacts($0) }).name }
  /// Of the half that speaks OpenHome, if there is one.
  package var udn: String {
    (devices.first { DeviceKind.openHomeProduct.matches($0) } ?? devices.first)?.udn ?? ""
  }
  package var services: Set<RendererService> { Set(locations.keys) }
  package var isOpenHome: Bool { locations[.product] != nil }

  package func location(_ service: RendererService) -> ServiceLocation? { locations[service] }

  /// A typed proxy.
  ///
  /// - Throws: `lacks` if the renderer has no such service.
  package func proxy<Proxy: ServiceProxy>(
    _ service: RendererService, _: Proxy.Type = Proxy.self
  ) throws(RendererFailure) -> Proxy {
    guard let location = locations[service] else { throw .lacks(service) }
    return Proxy(controlPoint.service(location))
  }

  /// Calls an action whose results are read leniently: many renderers send text in the place of numbers. Nil if it fails.
  package func ask(_ service: RendererService, _ action: String, _ arguments: [(String, String)] = []) async
    -> ActionResults?
  {
    guard let location = locations[service] else { return nil }
    return try? await controlPoint.service(location).call(
      action, arguments.map { SOAPArgument(name: $0.0, text: $0.1) }, isRepeatable: true)
  }

  func attempt<Value: Sendable>(
    _ body: () async throws(ActionFailure) -> Value
  ) async throws(RendererFailure) -> Value {
    do throws(ActionFailure) { return try await body() } catch { throw .call(error) }
  }
}
