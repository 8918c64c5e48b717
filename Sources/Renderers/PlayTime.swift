/// Times of tracks.
package enum PlayTime {
  /// What a device says, if it makes sense: it is calculated with.
  package static func bounded(_ seconds: Int) -> Int { min(max(seconds, 0), Int(Int32.max)) }

  package static func bounded(_ text: String) -> Int? { Int(text).map { bounded($0) } }
}
