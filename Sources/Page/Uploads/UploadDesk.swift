import Glibc
import HTTP
import JSON
import Logging
import NIOCore
import Network
import Player
import Services
import UPnP
import Uploads
import UploadsIO

/// Takes songs from phones, keeps them, serves them to whoever plays them, and lets them join the queue.
///
/// A song goes from its connection to the disk piece by piece: the next one is asked for when one is written. Reading is the
/// same the other way round. So an upload costs some pieces of memory, however long it is. Nothing here has a timer.
public actor UploadDesk {
  /// Pieces of a body that are on their way to the disk at once, some kilobytes each.
  static let pieces = 4
  /// Readers of songs at once, in all and from one address.
  static let readers = (most: 24, perAddress: 8)
  /// Songs that have waited for an earlier one and join the queue in one turn of the event loop.
  static let joinsPerTurn = 8
  /// A song's time of use is written to the disk no more often than that, in seconds.
  static let touchSeconds = 60

  /// A song that is coming.
  struct Coming: Sendable {
    enum Phase: Sendable { case opening, writing, finishing }

    var song: UploadedSong
    var how: API.AddUploadHow
    var batch: String
    var base: String
    var caller: ActionContext
    var phase = Phase.opening
    /// The bytes that were free on the disk when it began to come.
    var free: Int?
    /// What came before the file was open: a short body comes with its head.
    var held: ByteBuffer?
    /// The first bytes, until they have told what it is.
    var beginning: [UInt8]? = []
    var arrived = 0
  }

  /// A song that is being sent to somebody.
  struct Sent: Sendable {
    var key: String
    var rest: Range<Int>
    var reading: SongFiles.Reading?
  }

  nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  nonisolated let files: SongFiles
  nonisolated let player: PlayerCore
  nonisolated let queue: SongQueue
  nonisolated let own: OwnSongs
  nonisolated let connections: UploadConnections
  /// The keys of songs that must stay.
  nonisolated let needed: @Sendable () -> Set<String>
  /// The speaker's own address as others know it; empty without a network.
  nonisolated let announced: @Sendable () -> String
  nonisolated let changed: @Sendable () -> Void
  nonisolated let version: @Sendable () -> Int
  nonisolated let logger: Logger
  var shelf: UploadShelf
  var order = UploadOrder()
  var places = UploadPlaces<RequestID, IPAddress>(most: 4, perAddress: 2)
  var coming: [RequestID: Coming] = [:]
  var readers = UploadPlaces<RequestID, IPAddress>(most: readers.most, perAddress: readers.perAddress)
  var sent: [RequestID: Sent] = [:]
  /// Songs that wait for their turn in the queue, by their keys.
  var waiting: [String: Coming] = [:]
  var random = SystemRandomNumberGenerator()
  /// False until the directory has been read.
  var isLoaded = false
  /// What is wrong with the directory.
  var failure: SongFiles.Failure?
  var changes = 0

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - limit: the most bytes that are kept.
  ///   - needed: the keys of songs that must stay, as those of the queue; called on the event loop.
  ///   - announced: the address of this server, as others know it: `http://192.0.2.7:49494`.
  ///   - changed: called when the section may have changed.
  public init(
    eventLoop: any EventLoop, files: SongFiles, limit: Int, player: PlayerCore, own: OwnSongs,
    casters: Casters, playerSection: PlayerSection, undo: QueueUndo, connections: UploadConnections,
    needed: @escaping @Sendable () -> Set<String>, announced: @escaping @Sendable () -> String,
    changed: @escaping @Sendable () -> Void, logger: Logger
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.files = files
    self.player = player
    self.own = own
    self.connections = connections
    self.needed = needed
    self.announced = announced
    self.changed = changed
    self.logger = logger
    version = { playerSection.version }
    queue = SongQueue(
      player: player,
      adding: QueueAdding(player: player, undo: undo, casters: casters, logger: logger))
    shelf = UploadShelf(limit: limit)
  }

  /// Reads the directory; nothing is taken or served before.
  public nonisolated func begin() {
    files.load { songs in self.later { $0.loaded(songs) } }
  }

  private func loaded(_ songs: [UploadedSong]) {
    for song in songs {
      shelf.add(song)
      own.add(song.key)
    }
    isLoaded = true
    setLimit(shelf.limit)
  }

  /// Takes a new limit, and deletes what is beyond it and not needed.
  public func setLimit(_ limit: Int) {
    gone(shelf.setLimit(limit, needed: isLoaded ? busy : Set(shelf.songs.keys)))
    note()
  }

  /// Runs `body` on the event loop, in a later turn.
  nonisolated func later(_ body: @escaping @Sendable (isolated UploadDesk) -> Void) {
    eventLoop.execute { self.assumeIsolated { body($0) } }
  }

  /// The section has changed.
  func note() {
    changes += 1
    changed()
  }

  /// Songs that must stay: needed ones, and those that somebody reads.
  var busy: Set<String> { needed().union(sent.values.map(\.key)).union(waiting.keys) }

  /// Songs have left the shelf: their files go, too.
  func gone(_ keys: [String]) {
    for key in keys { own.remove(key) }
    files.delete(keys)
  }

  static var now: Int { time(nil) }

  /// A song is used.
  func use(_ key: String) {
    guard let song = shelf.songs[key], Self.now - song.used >= Self.touchSeconds else { return }
    shelf.use(key, at: Self.now)
    files.touch(key)
  }

  // MARK: - The section

  var summary: API.Uploads {
    API.Uploads(
      version: changes, enabled: true, songs: shelf.songs.count, bytes: shelf.bytes, limit: shelf.limit,
      coming: coming.count, types: player.currentState.mimeTypes, problem: failure.map { Problem($0).detail })
  }
}

/// The section `uploads`.
public struct UploadsSection: PageSection {
  let desk: UploadDesk

  public init(desk: UploadDesk) { self.desk = desk }

  public var version: Int { desk.assumeIsolated { $0.changes } }

  public func write(to json: inout JSONWriter) { desk.assumeIsolated { $0.summary }.write(to: &json) }
}
