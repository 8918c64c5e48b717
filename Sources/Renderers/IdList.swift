/// An IdArray: numbers of 32 bits, the highest byte first.
package enum IdList {
  package static func ids(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { index in
      bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
