import Logging
import NIOCore
import Party
import Player
import Services

/// Owns the party: carries out in the player's queue what follows from requests, and follows what others do to the
/// queue.
///
/// Runs on the daemon's event loop. While there is no party it watches nothing, and while there is one its only timer
/// is the one for the end.
public actor PartyDesk {
  /// What it knows and does by others.
  public struct Surroundings: Sendable {
    /// What the clocks of the machine say.
    public var clocks: @Sendable () -> PartySession.Clocks
    /// Where the page is; nil while the speaker has no address.
    public var address: @Sendable () -> String?
    /// Keeps the party over a restart; nil when there is none.
    public var keep: @Sendable (String?) -> Void

    public init(
      clocks: @escaping @Sendable () -> PartySession.Clocks, address: @escaping @Sendable () -> String?,
      keep: @escaping @Sendable (String?) -> Void
    ) {
      self.clocks = clocks
      self.address = address
      self.keep = keep
    }
  }

  /// The settings for the next party.
  public struct Settings: Sendable, Hashable {
    public var rules = PartyRules()
    public var length = PartyRules.usualLength

    public init() {}
  }

  /// What of the player's state matters to a party.
  private struct Seen: Equatable {
    var token: UInt32
    var current: UInt32
    var isPlaying: Bool
    var isShuffling: Bool

    init(_ state: PlayerState) {
      token = state.playlist.token
      current = state.playlist.currentID
      isPlaying = state.phase(of: .playlist) == .playing
      isShuffling = state.playlist.isShuffling
    }
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  private let eventLoop: any EventLoop
  private let player: PlayerCore
  private let sections: PageSections
  private let surroundings: Surroundings
  private let logger: Logger
  private var settings = Settings()
  private var random = SystemRandomNumberGenerator()
  public private(set) var session: PartySession?
  /// Rises with every change of what is shown.
  private(set) var version = 1
  private var timer: Scheduled<Void>?
  private var observer: PlayerCore.ObserverID?
  private var seen: Seen?
  /// True while the queue is changed from here.
  private var isChanging = false
  /// The tokens of guests for whom a media server is asked for a song.
  private var looking: Set<String> = []

  public init(
    eventLoop: any EventLoop, player: PlayerCore, sections: PageSections, surroundings: Surroundings,
    logger: Logger
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.player = player
    self.sections = sections
    self.surroundings = surroundings
    self.logger = logger
  }

  /// Takes the settings for the next party, from any thread.
  public nonisolated func set(_ settings: Settings) {
    eventLoop.execute { self.assumeIsolated { $0.settings = settings } }
  }

  var now: Duration { surroundings.clocks().now }
  var address: String? { surroundings.address() }

  // MARK: Beginning and end

  /// Starts a party.
  ///
  /// - Parameter length: nil: as the settings say.
  public func start(_ mode: PartyMode, length: Duration? = nil) throws(PartyRefusal) {
    guard session == nil else { throw .isRunning }
    guard player.currentState.sources.contains(.playlist) else { throw .noQueue }
    begin(
      PartySession(
        mode, rules: settings.rules, length: length ?? settings.length, at: now, using: &random))
    logger.notice("a party has begun: guests may request songs (\(mode.rawValue))")
  }

  /// Goes on with a party of an earlier run.
  ///
  /// - Returns: false if that can't be read, or is over.
  public func resume(_ text: String) -> Bool {
    let tracks = player.currentState.playlist.tracks
    let session = PartySession(
      text, surroundings.clocks(), rules: settings.rules, media: { tracks[$0] }, song: { PartySong($0) })
    guard let session, self.session == nil else {
      surroundings.keep(nil)
      return false
    }
    begin(session)
    logger.notice("the party goes on")
    return true
  }

  private func begin(_ session: PartySession) {
    self.session = session
    observer = player.assumeIsolated { player in
      player.observe { [weak self] _, new in self?.assumeIsolated { $0.playerChanged(new) } }
    }
    _ = follow(player.currentState)
    arm()
    changed()
  }

  /// Ends the party. What is in the queue stays there.
  public func stop() throws(PartyRefusal) {
    guard session != nil else { throw .noParty }
    session = nil
    seen = nil
    if let observer { player.assumeIsolated { $0.removeObserver(observer) } }
    observer = nil
    timer?.cancel()
    timer = nil
    surroundings.keep(nil)
    version += 1
    sections.changed(.party)
    logger.notice("the party is over")
  }

  private func arm() {
    timer?.cancel()
    timer = session.map { session in
      eventLoop.scheduleTask(in: TimeAmount(session.end - now)) { [weak self] () -> Void in
        self?.assumeIsolated { $0.elapsed() }
      }
    }
  }

  private func elapsed() {
    guard let session else { return }
    // The loop's clock stands still while the machine sleeps.
    if session.isOver(at: now) { try? stop() } else { arm() }
  }

  private func changed() {
    version += 1
    sections.changed(.party)
    if let session { surroundings.keep(session.text(surroundings.clocks())) }
  }

  // MARK: Changes

  /// Changes the party, and carries out what follows: all of it or nothing.
  func change<Value>(
    _ body: (inout PartySession, inout SystemRandomNumberGenerator) throws(PartyRefusal) -> (
      Value, [PartyEffect]
    )
  ) throws(PartyRefusal) -> Value {
    guard var next = session, !next.isOver(at: now) else { throw .noParty }
    let value: Value
    do throws(PartyRefusal) {
      let effects: [PartyEffect]
      (value, effects) = try body(&next, &random)
      isChanging = true
      defer { isChanging = false }
      for effect in effects { try perform(effect, &next) }
    } catch {
      // Tries are counted.
      if error == .wrongCode { session = next }
      throw error
    }
    let (isSame, isSameEnd) = (next == session, next.end == session?.end)
    session = next
    let isFollowed = follow(player.currentState)
    if !isSameEnd { arm() }
    if !isSame || isFollowed { changed() }
    return value
  }

  /// A media server is asked for a song that a guest wants; one at a time.
  func beginLooking(token: String, from address: String, wantsNext: Bool) throws(PartyRefusal) {
    guard let session else { throw .noParty }
    try session.check(token: token, from: address, wantsNext: wantsNext, at: now)
    guard looking.insert(token).inserted else { throw .tooManyRequests(wait: .seconds(1)) }
  }

  func endLooking(token: String) { looking.remove(token) }

  private func perform(_ effect: PartyEffect, _ session: inout PartySession) throws(PartyRefusal) {
    let playlist = player.currentState.playlist
    let queue = PartyQueue(player.currentState)
    var commands: [PlaylistCommand] = []
    switch effect {
    case .insert(let request, let media, let place):
      guard let track = playlist.nextID else { throw .queueIsFull }
      session.inserted(request, as: track)
      commands = [.insertEach(after: place.anchor(in: queue), [media])]
    case .move(let track, let place):
      let anchor = place.anchor(in: queue, for: track)
      guard anchor != track, playlist.tracks.contains(track) else { return }
      commands = [.move([track], after: anchor)]
    case .remove(let track):
      guard playlist.tracks.contains(track) else { return }
      commands = [.deleteEach([track])]
    }
    // While shuffling, the list doesn't say what is next.
    if playlist.isShuffling { commands.append(.bringNext(session.queuedTracks)) }
    do throws(PlayerError) {
      try player.change(commands.map(Command.playlist))
    } catch {
      throw error == .playlistFull ? .queueIsFull : .noQueue
    }
  }

  // MARK: The player

  private func playerChanged(_ state: PlayerState) {
    guard !isChanging, session != nil, Seen(state) != seen else { return }
    if follow(state) { changed() }
  }

  /// - Returns: whether a request has become something else.
  private func follow(_ state: PlayerState) -> Bool {
    seen = Seen(state)
    let current = state.playlist.current
    return session?.take(PartyQueue(state), at: now) { current.map { PartySong($0) } } ?? false
  }
}

extension PartyQueue {
  init(_ state: PlayerState) {
    let playlist = state.playlist
    self.init(
      tracks: playlist.tracks.ids, current: playlist.currentID,
      isPlaying: state.phase(of: .playlist) == .playing, isShuffling: playlist.isShuffling)
  }
}

extension PartySong {
  /// What guests are shown of media.
  init(_ media: Media) {
    let shown = ShownTrack(media)
    self.init(
      title: shown.title, artist: shown.artist, album: shown.album, duration: media.durationHint,
      picture: shown.picture, address: media.uri)
  }
}
