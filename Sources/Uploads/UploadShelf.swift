/// The songs that are kept: what may come in, and what goes for it. A value; whoever has it deletes the files that it names.
public struct UploadShelf: Sendable {
  /// The most songs that are kept, however small they are.
  public static let mostSongs = 2000
  /// What stays free of the disk, in bytes.
  public static let spared = 64 << 20

  /// Why a song may not come in.
  public enum Refusal: Error, Sendable, Hashable {
    /// It is larger than the limit.
    case tooLarge
    /// What is kept is needed.
    case full
    /// The disk has no room for it.
    case noSpace
  }

  /// The most bytes of all songs together.
  public private(set) var limit: Int
  /// By their keys.
  public private(set) var songs: [String: UploadedSong] = [:]
  /// The bytes of ``songs``.
  public private(set) var bytes = 0
  /// Songs that are still coming, by their keys: the bytes that they will have.
  private var coming: [String: Int] = [:]

  public init(limit: Int) { self.limit = limit }

  /// Bytes that songs still coming will have.
  private var promised: Int { coming.values.reduce(0, +) }

  /// Whether a song of `bytes` could be kept if nothing else were.
  public func mayHold(_ bytes: Int) -> Bool { bytes <= limit }

  // MARK: Coming and going

  /// Checks whether room could be made for a song. None goes for it yet.
  ///
  /// - Parameters:
  ///   - free: the bytes that are free on the disk; nil if nobody knows.
  ///   - needed: the keys of songs that must stay, as those in the queue.
  public func check(bytes wanted: Int, free: Int?, needed: Set<String>) throws(Refusal) {
    _ = try leaving(for: wanted, free: free, needed: needed)
  }

  /// Keeps room for a song that comes.
  ///
  /// - Parameters:
  ///   - free: the bytes that are free on the disk; nil if nobody knows.
  ///   - needed: the keys of songs that must stay, as those in the queue.
  /// - Returns: the keys of those that went for it, least recently used first; their files are to be deleted.
  public mutating func admit(
    _ key: String, bytes wanted: Int, free: Int?, needed: Set<String>
  ) throws(Refusal) -> [String] {
    let going = try leaving(for: wanted, free: free, needed: needed)
    for key in going { remove(key) }
    coming[key] = wanted
    return going
  }

  /// The keys of those that have to go for a song, least recently used first.
  private func leaving(for wanted: Int, free: Int?, needed: Set<String>) throws(Refusal) -> [String] {
    guard mayHold(wanted) else { throw .tooLarge }
    var (excess, places) = (
      bytes + promised + wanted - limit, songs.count + coming.count + 1 - Self.mostSongs
    )
    // What is promised may be on the disk already, in part: then more stays free than has to.
    var lack = free.map { wanted + promised + Self.spared - $0 } ?? 0
    var going: [String] = []
    for song in unused(but: needed) {
      if excess <= 0, places <= 0, lack <= 0 { break }
      going.append(song.key)
      excess -= song.bytes
      lack -= song.bytes
      places -= 1
    }
    guard excess <= 0, places <= 0 else { throw .full }
    guard lack <= 0 else { throw .noSpace }
    return going
  }

  /// A song for which there was room has come, or was found in the directory.
  public mutating func add(_ song: UploadedSong) {
    coming[song.key] = nil
    remove(song.key)
    songs[song.key] = song
    bytes += song.bytes
  }

  /// A song won't come after all.
  public mutating func giveUp(_ key: String) { coming[key] = nil }

  @discardableResult
  public mutating func remove(_ key: String) -> UploadedSong? {
    guard let song = songs.removeValue(forKey: key) else { return nil }
    bytes -= song.bytes
    return song
  }

  /// A song is played, or fetched.
  public mutating func use(_ key: String, at time: Int) {
    guard let song = songs[key] else { return }
    songs[key]?.used = max(song.used, time)
  }

  /// Sets the limit, and makes what is kept fit as far as it may go.
  ///
  /// - Returns: the keys of those that went, whose files are to be deleted.
  public mutating func setLimit(_ limit: Int, needed: Set<String>) -> [String] {
    self.limit = limit
    var going: [String] = []
    for song in unused(but: needed) where bytes > limit || songs.count > Self.mostSongs {
      remove(song.key)
      going.append(song.key)
    }
    return going
  }

  // MARK: Orders

  /// Those that may go, least recently used first.
  public func unused(but needed: Set<String>) -> [UploadedSong] {
    songs.values.filter { !needed.contains($0.key) }
      .sorted { ($0.used, $0.added, $0.key) < ($1.used, $1.added, $1.key) }
  }

  /// All of them, the last that came first.
  public var newestFirst: [UploadedSong] {
    songs.values.sorted { ($1.added, $1.name, $1.key) < ($0.added, $0.name, $0.key) }
  }

  /// The songs by their file names in lower case; of several with the same one, the last that came.
  public var songsByName: [String: UploadedSong] {
    Dictionary(
      songs.values.map { ($0.name.lowercased(), $0) },
      uniquingKeysWith: { one, other in one.added < other.added ? other : one })
  }
}
