/// A count with its noun, for people: `0 tracks`, `1 track`, `2 tracks`.
///
/// - Parameters:
///   - noun: for one of them.
///   - many: for none and for several; by default the noun with an s. Verbs work the same way: `counted(2, "is", "are")`.
public func counted(_ count: some BinaryInteger, _ noun: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : many ?? noun + "s")"
}
