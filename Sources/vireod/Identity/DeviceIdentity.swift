/// Unique device names (UDN) that stay the same for the life of the installation.
///
/// Unless the configuration sets one, the UDN is a hash of the machine ID, so it survives a reinstallation of Vireo and
/// the loss of its state. machine-id(5) asks that the ID itself never be shown on a network: control points see a hash
/// that is of no use elsewhere.
struct DeviceIdentity: Sendable, Equatable {
  /// The value from which all UDNs of this installation are derived.
  private let seed: Seed

  private enum Seed: Sendable, Equatable {
    case configured(String)
    case machine([UInt8])
  }

  /// Creates the identity.
  ///
  /// - Parameters:
  ///   - configured: `[device] uuid`; empty for none.
  ///   - machineID: Content of `/etc/machine-id` or, if there is none, the random ID from the state directory.
  init(configured: String, machineID: [UInt8]) {
    let value = Self.withoutPrefix(configured)
    seed = value.isEmpty ? .machine(machineID) : .configured(value)
  }

  /// The UDN of the MediaRenderer, without `uuid:`, from which those of further devices are derived.
  ///
  /// It is exactly the configured one, if any.
  var udn: String {
    switch seed {
    case .configured(let value): value
    case .machine(let id): Self.uuid(from: SHA256.hash(Array("vireo 1 MediaRenderer ".utf8) + id))
    }
  }

  /// A hash from which the zone's hardware address and household are made.
  var zoneHash: [UInt8] { SHA256.hash(Array("vireo 1 ZonePlayer \(udn)".utf8)) }

  /// Removes the prefix `uuid:`, in upper or lower case, from `text`.
  static func withoutPrefix(_ text: String) -> String {
    text.lowercased().hasPrefix("uuid:") ? String(text.dropFirst(5)) : text
  }

  /// A UUID of version 8 (RFC 9562): the first 122 bits of a hash of the application's choice.
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
