/// Who a zone is to controllers of the Sonos class.
public struct ZoneIdentity: Sendable, Hashable {
  /// The port that these controllers expect; most of them know no other one.
  public static let port = 1400
  /// What stands before the 26 characters of a household's name.
  public static let householdPrefix = "Sonos_"
  /// How many letters and digits follow ``householdPrefix``.
  public static let householdLength = 26

  /// Six bytes, like a hardware address: controllers tell zones apart by it.
  public let hardwareAddress: [UInt8]
  /// The household that is configured, else one of its own.
  public let household: String
  /// Whether the configuration names the household.
  public let hasConfiguredHousehold: Bool
  /// Higher at each start of the daemon.
  public let bootSequence: Int

  /// Makes the identity.
  ///
  /// - Parameters:
  ///   - hash: at least 32 bytes that stay the same for the life of the installation, and are those of no other one.
  ///   - household: its name; empty for one that is made of the hash.
  public init(hash: [UInt8], household: String, bootSequence: Int) {
    var address = Array(hash.prefix(6))
    // Locally administered, and of one station: it can't be that of a real interface.
    if let first = address.first { address[0] = first & 0xfc | 0x02 }
    hardwareAddress = address
    hasConfiguredHousehold = !household.isEmpty
    self.household = household.isEmpty ? Self.household(of: hash.suffix(Self.householdLength)) : household
    self.bootSequence = max(bootSequence, 1)
  }

  /// `RINCON_`, the hardware address and the port, as controllers put it together themselves.
  public var uid: String { Self.uidPrefix + hexadecimal(separator: "") + "0" + String(Self.port) }

  /// The name that the zone's alarms, services and groups have a version below: `UID:1`.
  var firstVersion: String { "\(uid):1" }

  /// `AA:BB:CC:DD:EE:FF`
  var hardwareAddressText: String { hexadecimal(separator: ":") }

  /// `AA-BB-CC-DD-EE-FF:7`; controllers take the hardware address from it.
  var serialNumber: String { hexadecimal(separator: "-") + ":7" }

  private func hexadecimal(separator: String) -> String {
    hardwareAddress.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      .joined(separator: separator)
  }

  /// Whether a text is the name of a household.
  public static func isHousehold(_ text: String) -> Bool {
    let name = text.utf8.dropFirst(householdPrefix.utf8.count)
    return text.hasPrefix(householdPrefix) && name.count == householdLength
      && name.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf) && $0 < 0x80 }
  }

  /// Whether a text is the UID of a zone.
  public static func isUID(_ text: String) -> Bool {
    let digits = text.utf8.dropFirst(uidPrefix.utf8.count)
    return text.hasPrefix(uidPrefix) && text.hasSuffix("0\(port)") && digits.count == 17
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
  }

  private static let uidPrefix = "RINCON_"

  private static func household(of bytes: ArraySlice<UInt8>) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars)
    var text = householdPrefix
    for byte in bytes { text.unicodeScalars.append(letters[Int(byte) % letters.count]) }
    return text
  }
}

/// What a zone says about its software and hardware. Controllers decide by some of it what they offer.
enum ZoneModel {
  /// Its last word isn't one of those by which controllers know a soundbar or a line input.
  static let name = "Vireo Player"
  static let number = "Vireo"
  static let software = "85.0-64200"
  static let displaySoftware = "17.0"
  static let hardware = "1.26.1.7-2"
  static let generation = "2"
  static let oldestCompatible = "84.0-00000"
  static let oldestLegacyCompatible = "58.0-00000"
}
