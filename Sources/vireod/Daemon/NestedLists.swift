import Player
import Services

/// The entries of a list some of which are lists themselves, as stations have them: an ASX that names an M3U. Says which
/// is to be read next, and puts what is found in its place.
///
/// Pure, and bounded: in depth, in how many are read, and in entries; no list is read twice. What isn't read, or is no
/// list after all, stays an entry.
struct NestedLists: Sendable {
  /// Lists below the first one, each named by the one above.
  static let maximumDepth = 3
  /// Lists that are read beside the first one.
  static let maximumReads = 8

  private struct Entry: Sendable {
    var media: Media
    var depth: Int
  }

  private let policy: URIPolicy
  private var entries: [Entry]
  private var seen: Set<String>
  private var reads = 0
  /// Entries before this have been looked at.
  private var place = 0

  /// - Parameters:
  ///   - tracks: what the first list holds.
  ///   - uri: where that is.
  init(_ tracks: [Media], of uri: String, policy: URIPolicy) {
    self.policy = policy
    entries = tracks.map { Entry(media: $0, depth: 1) }
    seen = [uri]
    findNext()
  }

  /// In the order of the lists.
  var tracks: [Media] { entries.map(\.media) }

  /// The list to be read now; nil when there is no more.
  var next: Media? { entries.indices.contains(place) ? entries[place].media : nil }

  /// Takes what ``next`` turned out to hold.
  mutating func take(_ resolution: Resolution) {
    guard let media = next else { return }
    reads += 1
    seen.insert(media.uri)
    if case .entries(let found) = resolution {
      let room = max(0, PlaylistDocument.maximumEntries - entries.count + 1)
      let depth = entries[place].depth + 1
      let inside = found.prefix(room).map { Entry(media: $0, depth: depth) }
      entries.replaceSubrange(place...place, with: inside)
    } else {
      place += 1
    }
    findNext()
  }

  private mutating func findNext() {
    guard reads < Self.maximumReads, let found = entries[place...].firstIndex(where: isToBeRead) else {
      place = entries.endIndex
      return
    }
    place = found
  }

  private func isToBeRead(_ entry: Entry) -> Bool {
    entry.depth <= Self.maximumDepth && !seen.contains(entry.media.uri) && entry.media.looksLikeContainer
      && !Self.isHLS(entry.media.uri) && policy.allows(entry.media.uri)
  }

  /// Streams by HLS are lists only by name, and too many to look into each.
  private static func isHLS(_ uri: String) -> Bool {
    uri.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".m3u8")
  }
}
