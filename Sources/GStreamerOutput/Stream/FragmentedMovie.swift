/// Finds the duration of a fragmented MP4 file in its first boxes, as they pass by.
///
/// The header of such a file describes at most its first fragment. The duration of all fragments is in `mehd`, or in an
/// index (`sidx`) that covers the whole file; otherwise it isn't known before the end. Pure, and bounded in size.
struct FragmentedMovie {
  /// A longer index isn't read: 64 KiB list 5000 fragments.
  private static let longestBox = 64 << 10

  /// The file consists of fragments.
  private(set) var isFragmented = false
  /// Everything needed has passed, or can't come any more.
  private(set) var isComplete = false
  private var scale: UInt = 0
  private var extent: UInt?
  private var index: Index?
  /// Offset of the next box to look at, in the file.
  private var place: UInt = 0
  /// The bytes of that box so far.
  private var box: [UInt8] = []

  private struct Index {
    var scale: UInt
    var duration: UInt
    var references: Int
    /// Offset of the first byte after everything that it lists.
    var end: UInt
  }

  /// Duration of the whole file in nanoseconds; nil if it isn't known.
  ///
  /// - Parameter length: of the file in bytes; nil if unknown. An index that ends long before this is one of several.
  func duration(length: UInt?) -> UInt? {
    if let extent, extent > 0, let time = Self.nanoseconds(extent, scale) { return time }
    guard let index, index.duration > 0 else { return nil }
    if let length {
      guard index.end >= length - length / 50 else { return nil }
    } else if index.references < 2 {
      return nil
    }
    return Self.nanoseconds(index.duration, index.scale)
  }

  /// Takes `bytes`, which begin at `offset` in the file. Bytes that it already has or doesn't need are skipped.
  mutating func take(_ bytes: UnsafeRawBufferPointer, at offset: UInt) {
    while !isComplete {
      let next = place + UInt(box.count)
      guard offset <= next, next - offset < UInt(bytes.count) else { return }
      let from = Int(next - offset)
      let wanted = wantedCount - box.count
      guard wanted > 0 else { return }
      box.append(contentsOf: bytes[from..<min(bytes.count, from + wanted)])
      readBox()
    }
  }

  /// How many bytes of the box are needed to decide anything.
  private var wantedCount: Int {
    guard box.count >= 16 else { return 16 }
    return Int(clamping: min(size, UInt(Self.longestBox)))
  }

  private var size: UInt {
    let short = number(0, 4)
    return short == 1 ? number(8, 8) : short
  }

  private mutating func readBox() {
    guard box.count >= 16 else { return }
    let kind = String(decoding: box[4..<8], as: UTF8.self)
    let header: UInt = number(0, 4) == 1 ? 16 : 8
    // The last box may omit its size.
    guard size >= header, kind != "moof", kind != "mdat" else {
      isComplete = true
      return
    }
    switch kind {
    case "moov": step(header)
    case "mvex":
      isFragmented = true
      step(header)
    case "mvhd", "mehd", "sidx":
      guard size <= UInt(Self.longestBox) else { return step(size) }
      guard UInt(box.count) >= size else { return }
      read(kind, at: Int(header))
      step(size)
    default: step(size)
    }
  }

  private mutating func step(_ count: UInt) {
    let (next, isBeyond) = place.addingReportingOverflow(count)
    // Leave room, so that later sums can't overflow.
    guard !isBeyond, next < 1 << 62 else {
      isComplete = true
      return
    }
    place = next
    // Keep what has come of the next box.
    box.removeFirst(min(box.count, Int(count)))
  }

  private mutating func read(_ kind: String, at start: Int) {
    // Fields have 64 bits if the version says so.
    let isLong = number(start, 1) == 1
    let word = isLong ? 8 : 4
    switch kind {
    case "mvhd": scale = number(start + 4 + 2 * word, 4)
    case "mehd": extent = number(start + 4, word)
    case "sidx" where index == nil:
      let first = number(start + 12 + word, word)
      let table = start + 12 + 2 * word
      let count = Int(number(table + 2, 2))
      guard box.count >= table + 4 + 12 * count else { return }
      let entries = (0..<count).map { table + 4 + 12 * $0 }
      let bytes = entries.reduce(UInt(0)) { $0 + (number($1, 4) & 0x7fff_ffff) }
      let (end, isBeyond) = (place + UInt(box.count) + bytes).addingReportingOverflow(first)
      guard !isBeyond else { return }
      index = Index(
        scale: number(start + 8, 4), duration: entries.reduce(0) { $0 + number($1 + 4, 4) },
        references: count,
        end: end)
    default: break
    }
  }

  /// `count` bytes of the box as a big-endian number; 0 beyond its end.
  private func number(_ at: Int, _ count: Int) -> UInt {
    guard at + count <= box.count else { return 0 }
    return box[at..<at + count].reduce(0) { $0 << 8 | UInt($1) }
  }

  private static func nanoseconds(_ units: UInt, _ scale: UInt) -> UInt? {
    guard scale > 0 else { return nil }
    let product = units.multipliedFullWidth(by: 1_000_000_000)
    // Otherwise the quotient has more than 64 bits.
    guard product.high < scale else { return nil }
    let time = scale.dividingFullWidth(product).quotient
    return time < 1 << 62 ? time : nil
  }
}
