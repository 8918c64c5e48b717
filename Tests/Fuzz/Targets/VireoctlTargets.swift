import Foundation
import HTTP
import Network
import Renderers

@testable import vireoctl

/// What the command line takes: files of its users, and what devices say of themselves.
extension FuzzTarget {
  /// A recording, up to what is replayed of it, and the same written again.
  static let recording = FuzzTarget(
    name: "recording", maximumLength: 8192,
    words: [
      "vireoctl recording 1\n", "# ", "@ 0 GET http://192.0.2.1:80/d.xml\n", "@ 12 POST ", "@ 5 NOTIFY ",
      "@ 9223372036854775807 ", "> soapaction: \"urn:x#A\"\n", ">> ", "= 200\n", "= timeout\n", "= 999\n",
      "< content-type: text/xml\n", "< SID: uuid:a\n", "<< <a/>\n", "\\x", "\\x0a", "\\x20", "\\x3a", "\\\\",
      "\n",
      ": ", "http://user:secret@192.168.1.2:8080/a?token=0123456789", "[fe80::1]",
      "11111111-2222-3333-4444-555555555555",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    guard let recording = try? Recording(text: text) else { return }
    try promise(
      recording.entries.count <= Recording.maximumEntries, "\(recording.entries.count) entries")
    let written = recording.text
    try promise(
      written.unicodeScalars.allSatisfy { "\n\t".unicodeScalars.contains($0) || !TerminalText.controls($0) },
      "a control character: \(written)")
    try promise(try Recording(text: written) == recording, "isn't read back: \(written)")

    var redaction = Redaction()
    redaction.hideStrangers(in: recording)
    let hidden = redaction.applied(to: recording)
    try promise(hidden.entries.count == recording.entries.count, "entries are missing")
    try promise(try Recording(text: hidden.text) == hidden, "isn't read back: \(hidden.text)")

    var script = ReplayScript(recording, base: "http://127.0.0.1:49152")
    for entry in recording.entries.prefix(50) {
      let target = ReplayScript.target(entry.url)
      for event in script.events(at: target) {
        try promise((0...ReplayScript.longestPause).contains(event.pause), "a pause of \(event.pause)")
      }
      guard entry.method != "NOTIFY" else { continue }
      let action = entry.request.first("soapaction") ?? ""
      let isAnswered = script.answer(entry.method, target, action: action) != nil
      try promise(isAnswered, "no answer to \(entry.method) \(target)")
    }
  }

  /// What a device says of itself, as it is shown and remembered: lines of text.
  static let shown = FuzzTarget(
    name: "shown", maximumLength: 2048,
    words: [
      "\u{1b}[2J", "\u{1b}]0;", "\u{7}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{200f}", "\u{feff}",
      "\u{e0041}",
      "\r", "\n", "\t", "\u{0}", "\\x10 ", "\\", "\"", "\u{301}", "\u{1f600}", "\u{ff21}", "uuid:", "http://",
      "[::1]:80", ":", "/", "1:02:03", "-1", "9223372036854775807", "+5", "50%",
      "Tue, 14 Nov 2023 22:13:20 GMT",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let clean = TerminalText.clean(text)
    try promise(!clean.unicodeScalars.contains(where: TerminalText.controls), "it controls: \(clean)")
    for width in [1, 8, 80] {
      let fitted = TerminalText.fitted(clean, to: width)
      try promise(TerminalText.width(fitted) <= width, "\(fitted) is wider than \(width)")
    }
    let words = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    try rows(words)
    try json(words)
    try remembered(words)
    for word in words.prefix(20) { try numbers(word) }
  }

  private static func rows(_ words: [String]) throws {
    var table = Table(["NAME", "KIND", "SEEN"], rightAligned: [2])
    for place in 0..<min(words.count, 20) { table.add([words[place], words.last, nil]) }
    for line in table.lines(width: 60) {
      try promise(!line.unicodeScalars.contains(where: TerminalText.controls), "it controls: \(line)")
      try promise(TerminalText.width(line) <= 60, "too wide: \(line)")
    }
  }

  private static func json(_ words: [String]) throws {
    let value = JSON.object([.init(name: words[0], value: .array(words.map { .string($0) }))])
    try promise(
      !value.text.unicodeScalars.contains(where: TerminalText.controls), "it controls: \(value.text)")
    let read = try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: [String]]
    // As bytes: characters that look the same are equal.
    let isSame = read?.values.first.map { $0.map { Array($0.utf8) } } == words.map { Array($0.utf8) }
    try promise(isSame, "isn't read back: \(value.text)")
  }

  /// Files in the user's cache; what is in them may come from a device, or be anything.
  private static func remembered(_ words: [String]) throws {
    let text = words.joined(separator: "\n")
    let listing = LastListing(text)
    try promise(LastListing(listing.text) == listing, "isn't read back: \(listing.text)")
    let entries = KnownDevices.entries(text)
    try promise(entries.count <= KnownDevices.maximum, "\(entries.count) devices")
    try promise(KnownDevices.entries(KnownDevices.text(entries)) == entries, "isn't read back: \(entries)")
    let merged = KnownDevices.merged(
      entries, [.init(udn: words[0], name: words[words.count - 1], kind: "server", url: "http://192.0.2.1/")])
    try promise(
      KnownDevices.entries(KnownDevices.text(merged)).count == merged.count, "lines are lost: \(merged)")
    let facts = merged.prefix(8).map(\.facts)
    for word in words.prefix(8) {
      _ = DeviceQuery(word).choose(facts)
      guard let place = ServerPath.parse(word, among: facts)?.place else { continue }
      if case .path(let titles) = place {
        try promise(titles.allSatisfy { !$0.isEmpty && !$0.contains("/") }, "\(titles)")
      }
    }
  }

  private static func numbers(_ word: String) throws {
    if let seconds = PlayTime.seconds(word) {
      try promise((0...360_000).contains(seconds), "\(seconds) seconds")
      try promise(PlayTime.seconds(PlayTime.text(seconds)) == seconds, "isn't read back: \(seconds)")
    }
    let said = PlayTime.bounded(word)
    if let second = SeekTarget(word)?.second(position: said, duration: said ?? 10) {
      try promise(second >= 0, "\(second)")
    }
    if let volume = VolumeTarget(word)?.volume(now: .max, maximum: nil) {
      try promise(volume >= 0, "\(volume)")
    }
    _ = HTTPDateReading.seconds(word)
  }

  /// The header fields of a request for a file that is served, each on a line.
  static let part = FuzzTarget(
    name: "part", maximumLength: 512,
    words: [
      "range: bytes=", "bytes=0-", "bytes=-500", "bytes=0-0,-1", "9223372036854775807",
      "18446744073709551616",
      "-", "=", ",", " ", "if-range: \"a\"", "transfermode.dlna.org: Streaming",
      "getcontentfeatures.dlna.org: 1",
      "\n",
    ]
  ) { bytes in
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    var fields = HeaderFields()
    for line in lines.prefix(20) {
      let pair = line.split(separator: ":", maxSplits: 1)
      if pair.count == 2 {
        fields.append(name: pair[0].lowercased(), value: String(pair[1].drop { $0 == " " }))
      }
    }
    for size in [0, 1, 1000, Int64.max - 1] {
      guard case .part(let part) = ByteRange(fields.first("range"), size: size) else { continue }
      try promise(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "\(part) of \(size)")
    }
  }
}
