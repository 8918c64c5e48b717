import JSON
import Text

@testable import Page

extension FuzzTarget {
  /// The body of a request of the page's API, up to what a handler gets of it; the path and query of one.
  static let json = FuzzTarget(
    name: "json", maximumLength: 8192,
    words: [
      "{", "}", "[", "]", ":", ",", "\"items\"", "\"uri\"", "\"http://192.0.2.1/a\"", "\"how\":\"now\"",
      "\"ids\":[1,2]",
      "\"after\":0", "\"volume\":50", "\"position\":1e3", "\"tracks\":[", "\\u0000", "\\ud83d\\ude00",
      "\\ud800", "true",
      "null", "-0.0", "1e308", "18446744073709551616", "\u{301}", "%41", "%", "+", "&", "=",
    ]
  ) { bytes in
    _ = PercentEscapes.decoded(String(decoding: bytes, as: UTF8.self)[...], plusIsSpace: true)
    guard let value = try? JSONValue(reading: bytes) else { return }
    // Each byte may become an escape of six.
    let limits = JSONLimits(bytes: 6 * bytes.count + 64)
    try promise(
      (try? JSONValue(reading: value.json, limits: limits)) == value, "is written as something else")
    let place = JSONPlace()
    if let change = try? API.PlayerChange(value, at: place) {
      try promise(change.volume.map { (0...100).contains($0) } ?? true, "a volume out of range")
      try promise(change != API.PlayerChange(), "a change of nothing")
    }
    if let play = try? API.Play(value, at: place) {
      try promise((1...1000).contains(play.items.count), "\(play.items.count) items")
      try promise(play.items.allSatisfy { $0.uri?.isEmpty != true }, "an empty address")
    }
    _ = try? API.QueueMove(value, at: place)
    _ = try? API.QueueInsertion(value, at: place)
    do throws(Problem) {
      _ = try API.QueueRemoval(value, at: place)
    } catch {
      try promise(error.status == .unprocessableContent && error.pointer != nil, "no place of the problem")
    }
  }
}
