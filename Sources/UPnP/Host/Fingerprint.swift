/// A 64-bit FNV-1a hash, which distinguishes versions of our own documents; not for security.
package struct Fingerprint: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  /// The hash as a word for addresses and entity tags.
  package var text: String { String(value, radix: 16) }

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }
}
