import Network
import Testing

@testable import ControlPoint

@Suite struct ServiceLocationTests {
  @Test func aServiceMayHaveNoEvents() throws {
    let address = try #require(IPAddress("127.0.0.1"))
    let service = ServiceLocation(
      udn: "a", type: "urn:schemas-upnp-org:service:SwitchPower:1", id: "urn:upnp-org:serviceId:SwitchPower",
      control: ServiceAddress(address: address, port: 80, target: "/control"))
    #expect(service.events == nil && service.description == nil)
  }
}
