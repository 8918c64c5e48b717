import HTTP
import Kept
import Logging
import NIOCore
import Player
import Synchronization
import Text

/// The stored playlists: for pages, and for whatever in the daemon plays one. Runs on the daemon's event loop.
///
/// Only what they are called and how long they are is in memory; tracks are read when somebody asks for them.
public actor Playlists {
  /// How many requests may wait for the disk.
  private static let mostWaiting = 32
  /// A list of more tracks than that leaves memory behind that is worth giving back.
  private static let manyTracks = 500

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  nonisolated let section: PlaylistsSection
  /// Nil where there is no directory for the state.
  private let keeper: (any PlaylistKeeper)?
  private let finder: any TrackFinder
  private let sections: PageSections
  private let logger: Logger
  private var waiting = 0
  /// The number of the last outcome; those of two edits may come in another order than they were made.
  private var newest = 0
  /// Long ones that are about to play: their media servers may take a while.
  private let playing = WholeLists(most: 4)
  /// Long ones that are sent as files: whoever takes one may be slow.
  nonisolated let exports = WholeLists(most: 4)
  private nonisolated let observer = Mutex<(@Sendable () -> Void)?>(nil)

  /// - Parameters:
  ///   - keeper: nil where nothing can be kept.
  ///   - sections: gets `playlists`.
  public init(
    eventLoop: any EventLoop, keeper: (any PlaylistKeeper)?, finder: any TrackFinder, sections: PageSections,
    logger: Logger
  ) {
    executor = eventLoop.executor
    self.keeper = keeper
    self.finder = finder
    self.sections = sections
    self.logger = logger
    section = PlaylistsSection(keeper?.heads() ?? [], isKept: keeper != nil)
    sections[.playlists] = section
  }

  /// The list with this id, without its tracks; nil when there is none.
  public nonisolated subscript(id: UInt32) -> KeptHead? { section[id] }

  /// Calls `observer` after each change of the lists.
  public nonisolated func observe(_ observer: @escaping @Sendable () -> Void) {
    self.observer.withLock { $0 = observer }
  }

  // MARK: Reading

  /// The tracks of a list, with the addresses that their media servers have now.
  ///
  /// Media servers are asked only for tracks whose server is known to be elsewhere, for some seconds at most. What is found is
  /// kept.
  ///
  /// - Parameters:
  ///   - start: the place of the first track, from 0.
  ///   - most: how many are wanted at most.
  public func tracks(of id: UInt32, from start: Int = 0, most: Int) async -> Outcome<FoundTracks> {
    guard let place = playing.place(bytes: self[id]?.bytes ?? 0) else { return .problem(Self.busy) }
    defer { withExtendedLifetime(place) {} }
    let part: KeptPart
    switch await self.part(of: id, from: start, count: max(most, 1)) {
    case .problem(let problem): return .problem(problem)
    case .value(let value): part = value
    }
    let found = await finder.found(part.entries)
    var tracks = part.entries.map(\.track.media)
    if !found.isEmpty {
      logger.info(
        "\(counted(found.count, "track")) of the playlist \(id) \(found.count == 1 ? "has" : "have") another address now"
      )
      let media = Dictionary(found.map { ($0.id, $0.track.media) }, uniquingKeysWith: { first, _ in first })
      tracks = part.entries.map { media[$0.id] ?? $0.track.media }
      // Playing needn't wait for the disk; what can't be kept is found again the next time.
      Task { _ = await perform(.correct(id, found)) }
    }
    if tracks.count > Self.manyTracks { keeper?.trim() }
    return .value(FoundTracks(tracks: tracks, isPartial: start + tracks.count < part.head.count))
  }

  /// A part of a list, as it is kept.
  func part(
    of id: UInt32, from start: Int, count: Int, bytes: Int = .max
  ) async -> Outcome<KeptPart> {
    await onDisk { keeper in await keeper.tracks(of: id, from: start, count: count, bytes: bytes) }
  }

  static let busy = Problem(
    "busy", .tooManyRequests, "Too many playlists are asked for at once.", retryAfter: 1)

  /// Why these can't be asked for in one request; nil if they can be. The playlists among them are read whole, as often as they
  /// are named.
  nonisolated func refusal(of items: [PlayableItem]) -> Problem? {
    let most = KeptLimits().listBytes
    let bytes = items.reduce(0) { sum, item in
      if case .playlist(let id) = item { sum + (self[id]?.bytes ?? 0) } else { sum }
    }
    guard bytes > most else { return nil }
    return Problem(
      "too-many", .unprocessableContent,
      "These playlists have more than \(most >> 20) MB together; add them one after the other.",
      pointer: "/items")
  }

  // MARK: Changing

  /// Carries out a command; it is kept when this returns.
  ///
  /// - Parameter version: the version of the list that the caller has seen; nil when that doesn't matter.
  func perform(_ command: KeptCommand, version: UInt32? = nil) async -> Outcome<KeptOutcome> {
    let outcome = await onDisk { keeper in await keeper.perform(KeptEdit(command, version: version)) }
    if case .value(let value) = outcome, value.number >= newest {
      newest = value.number
      if section.set(value.heads) {
        sections.changed(.playlists)
        observer.withLock { $0 }?()
      }
    }
    return outcome
  }

  /// Tracks as they are kept: with the servers that they are from.
  public func kept(_ media: [Media]) async -> [KeptTrack] {
    let servers = await finder.servers(of: media.map(\.uri))
    return zip(media, servers).map { KeptTrack($0, server: $1) }
  }

  private func onDisk<Value: Sendable>(
    _ work: @Sendable (any PlaylistKeeper) async -> Result<Value, KeptFailure>
  ) async -> Outcome<Value> {
    guard let keeper else {
      return .problem(
        Problem(
          "not-kept", .insufficientStorage,
          "Playlists can't be kept: there is no directory for the state. Give one with --state-dir, or set HOME."
        ))
    }
    guard waiting < Self.mostWaiting else { return .problem(Self.busy) }
    waiting += 1
    defer { waiting -= 1 }
    switch await work(keeper) {
    case .success(let value): return .value(value)
    case .failure(let failure): return .problem(Problem(failure))
    }
  }
}

extension Problem {
  init(_ failure: KeptFailure) {
    switch failure {
    case .refused(let refusal): self.init(refusal)
    case .notWritten:
      self.init(
        "not-kept", .insufficientStorage,
        "The playlist couldn't be written, and is as it was: the disk is full, or the state can't be written. The log says why."
      )
    case .notRead:
      self.init("not-kept", .insufficientStorage, "The playlist can't be read; the log says why.")
    }
  }

  init(_ refusal: KeptRefusal) {
    let limits = KeptLimits()
    let (type, status, detail): (String, HTTPStatus, String) =
      switch refusal {
      case .noList: ("not-found", .notFound, "There is no such playlist.")
      case .noTrack: ("not-found", .notFound, "There is no such track in the playlist.")
      case .namedTwice:
        ("out-of-range", .unprocessableContent, "No track may be named twice, nor come behind itself.")
      case .badName:
        (
          "out-of-range", .unprocessableContent,
          "A name has 1 to \(KeptName.longest) characters that can be seen."
        )
      case .nameTaken: ("name-taken", .conflict, "There is a playlist of that name already.")
      case .tooManyLists:
        (
          "too-many", .tooManyRequests, "There are \(limits.lists) playlists already. Delete one before."
        )
      case .listFull:
        (
          "playlist-full", .tooManyRequests,
          "The playlist is full: one has at most \(limits.tracks) tracks, and \(limits.listBytes >> 20) MB."
        )
      case .noRoom:
        (
          "too-many", .tooManyRequests,
          "All playlists together may have \(limits.bytes >> 20) MB. Delete one before."
        )
      case .changed:
        (
          "playlist-changed", .preconditionFailed,
          "The playlist has changed meanwhile; look at it again before you edit it."
        )
      }
    self.init(type, status, detail)
  }
}
