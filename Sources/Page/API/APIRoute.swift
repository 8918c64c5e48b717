/// A path of the API, and what can be asked for there.
struct APIRoute: Sendable {
  /// The path's parts; nil for a parameter.
  var parts: [String?]
  /// By their methods.
  var operations: [(method: String, operation: API.Operation)]

  /// Whether `path` leads here.
  func matches(_ path: [Substring]) -> Bool {
    guard path.count == parts.count else { return false }
    return zip(parts, path).allSatisfy { part, piece in part.map { $0 == piece } ?? !piece.isEmpty }
  }
}
