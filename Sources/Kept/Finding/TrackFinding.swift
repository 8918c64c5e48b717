import Player
import Text

/// Finds the tracks of a list again whose media server has another address now: by their ids on it, else by their names.
///
/// A pure value: ``next`` says what to ask, and ``answered(_:)`` or ``failed(isSilent:)`` what came of it. Nothing is asked
/// for tracks whose addresses still fit. What isn't found keeps its address.
public struct TrackFinding: Sendable {
  /// An object of a media server.
  public struct Object: Sendable, Hashable {
    var media: Media
    var words: TrackWords

    /// An object with the address for this player, and the server's metadata.
    public init(_ media: Media) {
      self.media = media
      words = TrackWords(media)
    }
  }

  public enum Next: Sendable, Hashable {
    /// The object called so, which was listed in `parent`.
    case object(String, parent: String?, server: String)
    /// Tracks with these words in their names.
    case search(String, server: String)
    case end
  }

  /// Where the tracks of a server were, all at one host and port.
  private struct Group: Sendable, Hashable {
    var server: String
    var authority: String
  }

  private enum State: Sendable, Hashable {
    case unknown
    /// The server is still there.
    case fits
    /// The server is elsewhere. Where all that is known are the same addresses at another host and port: that one.
    case moved(to: String?)
  }

  /// How many requests there are at most.
  public static let mostRequests = 200
  /// When so many tracks, from all over the list, are the same at another host and port, then so are the others.
  static let samples = 12
  /// How much two lengths of one track may differ.
  static let tolerance = Duration.seconds(2)
  /// A server that is silent so often isn't asked any more.
  private static let mostSilences = 2

  private let tracks: [UInt32: KeptTrack]
  /// The tracks that are still to be asked for, with their groups; the next one is the last.
  private var open: [(id: UInt32, group: Group)] = []
  private var states: [Group: State] = [:]
  /// How many of each group were the same at another host and port.
  private var same: [Group: Int] = [:]
  /// Groups of which not all were the same at another host and port.
  private var contradicted: Set<Group> = []
  private var isSearching = false
  private var requests = 0
  private var silences: [String: Int] = [:]
  private var found: [UInt32: Media] = [:]
  /// Tracks that were asked for.
  private var asked: Set<UInt32> = []
  private var words: TrackWords?

  /// - Parameter servers: the servers that are there, and where their tracks and descriptions are known to be.
  public init(_ entries: [KeptEntry], servers: [String: Set<String>]) {
    var groups: [Group: [UInt32]] = [:]
    var kept: [UInt32: KeptTrack] = [:]
    for entry in entries {
      guard let server = entry.track.server, let known = servers[server],
        let authority = HostAndPort.of(entry.track.media.uri), !known.contains(authority)
      else { continue }
      groups[Group(server: server, authority: authority), default: []].append(entry.id)
      kept[entry.id] = entry.track
    }
    tracks = kept
    let ordered = groups.sorted { ($0.key.server, $0.key.authority) < ($1.key.server, $1.key.authority) }
    for (group, ids) in ordered {
      states[group] = .unknown
      open += Self.spread(ids).map { ($0, group) }
    }
    open.reverse()
    settle()
  }

  /// The same ids, those first that are far from each other.
  private static func spread(_ ids: [UInt32]) -> [UInt32] {
    guard ids.count > samples else { return ids }
    let chosen = (0..<samples).map { ids[$0 * (ids.count - 1) / (samples - 1)] }
    let isChosen = Set(chosen)
    return chosen + ids.filter { !isChosen.contains($0) }
  }

  // MARK: What to ask, and what came of it

  public private(set) var next = Next.end

  /// Takes what the server has: the object that was asked for, if it is there, or what a search has found.
  public mutating func answered(_ objects: [Object]) {
    guard next != .end, let (id, group) = open.last, let track = tracks[id], let words else { return }
    let match = objects.first { object in
      isSearching
        ? Self.isFound(object, words, track.media.durationHint) : Self.isSame(object.words, words)
    }
    guard let match else { return isSearching ? close() : searchOrClose() }
    take(match.media, id, group, of: track)
    close()
  }

  /// The server has refused, or (`isSilent`) hasn't answered at all.
  public mutating func failed(isSilent: Bool) {
    guard next != .end, let (_, group) = open.last else { return }
    guard isSilent else { return isSearching ? close() : searchOrClose() }
    silences[group.server, default: 0] += 1
    close()
  }

  /// Ends it because its time is over.
  public mutating func stop() {
    // Nobody has said anything of the one that was asked for last.
    if next != .end, let id = open.last?.id { asked.remove(id) }
    open = []
    next = .end
  }

  private mutating func take(_ media: Media, _ id: UInt32, _ group: Group, of track: KeptTrack) {
    if media.uri == track.media.uri {
      if states[group] == .unknown { states[group] = .fits }
      return
    }
    found[id] = media
    let authority = HostAndPort.of(media.uri)
    let isSame = HostAndPort.rest(media.uri) == HostAndPort.rest(track.media.uri)
    if case .moved(let known) = states[group], known != authority { contradicted.insert(group) }
    if !isSame { contradicted.insert(group) }
    states[group] = .moved(to: contradicted.contains(group) ? nil : authority)
    same[group, default: 0] += 1
  }

  /// A track isn't there any more under its id: then the others needn't be what they were either.
  private mutating func contradict(_ group: Group) {
    contradicted.insert(group)
    if case .moved = states[group] { states[group] = .moved(to: nil) }
  }

  // MARK: One after the other

  private mutating func close() {
    isSearching = false
    open.removeLast()
    settle()
  }

  private mutating func searchOrClose() {
    guard let group = open.last?.group else { return }
    contradict(group)
    guard let title = words?.title, requests < Self.mostRequests else { return close() }
    isSearching = true
    requests += 1
    next = .search(title, server: group.server)
  }

  /// Goes to the next track that has to be asked for.
  private mutating func settle() {
    next = .end
    while let (id, group) = open.last {
      guard requests < Self.mostRequests else { return }
      let isSilent = silences[group.server, default: 0] >= Self.mostSilences
      guard let track = tracks[id], !isSilent, !isSettled(group) else {
        open.removeLast()
        continue
      }
      asked.insert(id)
      let words = track.facts
      self.words = words
      requests += 1
      if let object = words.object {
        next = .object(object, parent: words.parent, server: group.server)
      } else if let title = words.title {
        isSearching = true
        next = .search(title, server: group.server)
      } else {
        requests -= 1
        open.removeLast()
        continue
      }
      return
    }
  }

  private func isSettled(_ group: Group) -> Bool {
    switch states[group] {
    case .fits: true
    case .moved(.some): same[group, default: 0] >= Self.samples
    case .moved(nil), .unknown, nil: false
    }
  }

  // MARK: The result

  /// The tracks that have another address now.
  public var result: [UInt32: Media] {
    var result = found
    for (id, track) in tracks where !asked.contains(id) {
      guard let server = track.server, let old = HostAndPort.of(track.media.uri),
        case .moved(let new?) = states[Group(server: server, authority: old)]
      else { continue }
      result[id] = Self.moved(track.media, to: new)
    }
    return result
  }

  /// Places that turned out to be the server's: `(server, host and port)`.
  public var places: [(server: String, authority: String)] {
    var places = states.filter { $0.value == .fits }.map { ($0.key.server, $0.key.authority) }
    for (id, media) in found {
      if let server = tracks[id]?.server, let authority = HostAndPort.of(media.uri) {
        places.append((server, authority))
      }
    }
    return places.map { (server: $0.0, authority: $0.1) }
  }

  /// The same track at another host and port, in its metadata too, where control points look.
  private static func moved(_ media: Media, to authority: String) -> Media {
    var media = media
    let old = "//" + media.uri[HostAndPort.span(media.uri)] + "/"
    media.uri = HostAndPort.moved(media.uri, to: authority)
    media.metadata = media.metadata.withEach(old, replacedBy: "//\(authority)/")
    return media
  }

  // MARK: Comparing

  /// The object that has this id now: is it the same track?
  private static func isSame(_ object: TrackWords, _ wanted: TrackWords) -> Bool {
    isEqual(object.title, wanted.title) && isEqual(object.artist, wanted.artist)
  }

  /// A track that a search has found, and that must not be taken for another version of it.
  private static func isFound(_ object: Object, _ wanted: TrackWords, _ length: Duration?) -> Bool {
    guard isSame(object.words, wanted), isEqual(object.words.album, wanted.album) else { return false }
    guard let length, let other = object.media.durationHint else { return true }
    return abs(length.milliseconds - other.milliseconds) <= tolerance.milliseconds
  }

  /// What one of them doesn't say makes no difference.
  private static func isEqual(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return true }
    return one.trimmingASCIISpace.lowercased() == other.trimmingASCIISpace.lowercased()
  }
}
