/// The bytes of a file's head that aren't parsed yet.
struct HeadBytes {
  private(set) var bytes: [UInt8] = []
  /// File offset of the first of them.
  private(set) var offset = 0
  /// Bytes to come that are skipped.
  private var left = 0

  mutating func append(_ more: [UInt8]) {
    let skipped = min(left, more.count)
    left -= skipped
    offset += skipped
    bytes += more[skipped...]
  }

  /// Leaves out the next `count` bytes, as far as they have come; the rest as they come.
  mutating func skip(_ count: Int) {
    let here = min(count, bytes.count)
    left = count - here
    bytes.removeFirst(here)
    offset += here
  }
}
