import Kept
import Player
import Services

/// Resolves lists of tracks that contain lists, as radio stations have them: an ASX that names an M3U.
///
/// Names the next list to read, and replaces its entry by what it contains. Pure, and bounded in depth, in the number
/// of lists that are read, and in entries. No list is read twice: one that leads back to itself or to its parents is
/// dropped there. An entry that isn't read, or turns out not to be a list, stays an entry.
struct NestedLists: Sendable {
  /// The depth of nesting below the first list.
  static let maximumDepth = 3
  /// The number of lists that are read in addition to the first one.
  static let maximumReads = 8

  private struct Entry: Sendable {
    var media: Media
    var depth: Int
  }

  private let policy: URIPolicy
  private var entries: [Entry]
  private var seen: Set<String>
  /// The URIs that turned out to be lists.
  private var lists: Set<String>
  private var reads = 0
  /// Entries before this index are done.
  private var place = 0

  /// Creates the resolver from the entries of the first list.
  ///
  /// - Parameters:
  ///   - tracks: The entries of the first list.
  ///   - uri: The first list's URI.
  ///   - policy: Decides which URIs may be read.
  init(_ tracks: [Media], of uri: String, policy: URIPolicy) {
    self.policy = policy
    entries = tracks.map { Entry(media: $0, depth: 1) }
    seen = [uri]
    lists = [uri]
    findNext()
  }

  /// The tracks found so far, in the order of the lists.
  var tracks: [Media] { entries.lazy.map(\.media).filter { !lists.contains($0.uri) } }

  /// The result: the tracks, or a failure when the lists lead only to each other.
  var resolution: Resolution {
    let tracks = tracks
    guard tracks.isEmpty, !entries.isEmpty else { return .entries(tracks) }
    return .failed(
      PlaybackFailure(
        .unsupportedFormat, "The list of tracks leads back to itself, and names nothing to play."))
  }

  /// The list to read now; nil when there is none left.
  var next: Media? { entries.indices.contains(place) ? entries[place].media : nil }

  /// Replaces the entry of ``next`` by what it contains.
  mutating func take(_ resolution: Resolution) {
    guard let media = next else { return }
    reads += 1
    seen.insert(media.uri)
    if case .entries(let found) = resolution {
      lists.insert(media.uri)
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

  /// HLS playlists are streams rather than lists of tracks, and too many to inspect each.
  private static func isHLS(_ uri: String) -> Bool {
    uri.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".m3u8")
  }
}
