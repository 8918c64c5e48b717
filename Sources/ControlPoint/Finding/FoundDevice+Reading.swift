import NIOCore
import Network
import UPnP
import XML

extension FoundDevice {
  /// Reads the description at an address that the user named: the root device first, then those embedded in it.
  ///
  /// Their services and icons must be at the same host; others are left out.
  ///
  /// - Parameter interface: the index of the interface that leads there; 0 if it isn't known.
  /// - Throws: ``ActionFailure``; `malformed` for a document that isn't a description.
  public static func read(
    at address: ServiceAddress, interface: Int = 0, through exchange: HTTPExchange,
    deadline: Duration = .seconds(5)
  ) async throws(ActionFailure) -> [FoundDevice] {
    let response = try await exchange.exchange(
      ExchangeRequest("GET"), to: address, deadline: deadline, limit: RootDescription.limits.bytes)
    guard response.status == 200 else { throw .status(response.status) }
    let root: RootDescription
    do throws(XMLError) {
      root = try RootDescription.read(response.body)
    } catch {
      throw ActionFailure(error)
    }
    let link = NetworkInterface(
      index: address.interface ?? interface, name: "",
      addresses: [
        InterfaceAddress(address: address.address, prefixLength: address.address.isIPv6 ? 128 : 32)
      ], isRunning: true, isLoopback: address.address.isLoopback)
    let location = DeviceLocation(address, interface: link.index)
    let now = NIODeadline.now()
    var found: [FoundDevice] = []
    var pending = [root.device]
    while !pending.isEmpty {
      let description = pending.removeFirst()
      found.append(FoundDevice(description, of: root, at: location, on: link, lastSeen: now))
      pending += description.devices
    }
    return found
  }
}
