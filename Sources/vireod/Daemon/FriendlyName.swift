import Glibc

/// The name that control points show.
enum FriendlyName {
  /// The configured name, else the room, else `Vireo (HOSTNAME)`; below 64 characters.
  static func make(_ device: Settings.Device, hostName: String) -> String {
    if !device.name.isEmpty { return device.name }
    if !device.room.isEmpty { return device.room }
    return hostName.isEmpty ? "Vireo" : "Vireo (\(hostName.prefix(50)))"
  }

  /// The room that OpenHome control points show: the configured room, else the name, else the host name.
  static func room(_ device: Settings.Device, hostName: String) -> String {
    [device.room, device.name, hostName].first { !$0.isEmpty } ?? "Vireo"
  }

  /// The name of the OpenHome device, `ROOM:PRODUCT`; below 64 characters.
  static func openHome(room: String, product: String) -> String {
    String("\(room):\(product)".prefix(63))
  }

  /// This host's name without its domain; empty when it has none.
  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    // Decoded as bytes, since CChar is signed only on some processors.
    let name = bytes.withUnsafeBytes { bytes in
      String(decoding: bytes.prefix { $0 != 0 && $0 != 0x2e }, as: UTF8.self)
    }
    return name == "localhost" ? "" : name
  }
}
