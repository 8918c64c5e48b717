/// The machine ID, as machine-id(5) describes it.
enum MachineID {
  static let paths = ["/etc/machine-id", "/var/lib/dbus/machine-id"]

  /// The 32 hexadecimal digits of the first file that has them; nil when none does (in a container, say, or in an image
  /// before the end of its first boot, where it reads "uninitialized").
  static func read(paths: [String] = paths) -> [UInt8]? {
    for path in paths {
      guard case .success(let bytes) = FileBytes.read(path, limit: 256) else { continue }
      let digits = Array(bytes.prefix { $0 != 0x0a })
      if digits.count == 32, digits.allSatisfy(isHexDigit), digits.contains(where: { $0 != 0x30 }) {
        return digits
      }
    }
    return nil
  }

  /// A random machine ID, to be kept in the state directory.
  static func random(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return (0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }
  }

  static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}
