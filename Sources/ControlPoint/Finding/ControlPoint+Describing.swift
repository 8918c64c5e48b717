import NIOCore
import Network
import UPnP

/// Devices whose address is known already.
extension ControlPoint {
  /// Reads the description at `url`, without any search: the root device, and those that are embedded in it.
  ///
  /// - Parameter url: `http` with a literal address, also of a host behind a router. Its devices can be called, but only
  ///   one on a link of this host can send events.
  /// - Throws: ``ActionFailure``; `unreachable` for another URL, `malformed` for another document.
  public func devices(at url: String) async throws(ActionFailure) -> [FoundDevice] {
    guard let parts = CallbackURL(url) else { throw .unreachable }
    visitors += 1
    await waitForInterfaces()
    let interface = interfaces.first { $0.isRunning && $0.address(reaching: parts.address) != nil }
    visitors -= 1
    adjustToNetwork()
    guard interface != nil || !parts.address.needsScope else { throw .unreachable }
    let location = DeviceLocation(parts, on: interface)
    let document = try await fetch(location.address, RootDescription.limits.bytes, Self.descriptionTime)
    let root: RootDescription
    do { root = try RootDescription.read(document) } catch { throw ActionFailure(error) }
    var found: [FoundDevice] = []
    var descriptions = [root.device]
    while !descriptions.isEmpty {
      let description = descriptions.removeFirst()
      descriptions += description.devices
      found.append(FoundDevice(description, of: root, at: location, on: interface, lastSeen: .now()))
    }
    return found
  }
}
