/// Unique device names that stay the same for the life of the installation.
///
/// Where the configuration names none, the UDN is a hash of the machine's id, so it survives a reinstallation of
/// Vireo and the loss of its state. machine-id(5) asks that the id itself never be shown on a network: what
/// control points see is a hash of it that is of no use elsewhere.
struct DeviceIdentity: Sendable, Equatable {
  /// What all UDNs of this installation are made of.
  private let seed: Seed

  private enum Seed: Sendable, Equatable {
    case configured(String)
    case machine([UInt8])
  }

  /// - Parameters:
  ///   - configured: `[device] uuid`; empty for none.
  ///   - machineID: Content of `/etc/machine-id` or, where there is none, the random id of the state directory.
  init(configured: String, machineID: [UInt8]) {
    let value = Self.withoutPrefix(configured)
    seed = value.isEmpty ? .machine(machineID) : .configured(value)
  }

  /// The UDN of the MediaRenderer, without `uuid:`; those of further devices are made of it.
  ///
  /// It is exactly the configured name where there is one.
  var udn: String {
    switch seed {
    case .configured(let value): value
    case .machine(let id): Self.uuid(from: SHA256.hash(Array("vireo 1 MediaRenderer ".utf8) + id))
    }
  }

  /// `text` without `uuid:` in front, in whatever case.
  static func withoutPrefix(_ text: String) -> String {
    text.lowercased().hasPrefix("uuid:") ? String(text.dropFirst(5)) : text
  }

  /// RFC 9562, UUID version 8: the first 122 bits of a hash of the application's choice.
  static func uuid(from hash: [UInt8]) -> String {
    var bytes = Array(hash.prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}
