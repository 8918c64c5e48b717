import Page
import Pins
import Player
import Services
import Synchronization

/// Where the tracks of stored playlists come from.
protocol PlaylistTracks: Sendable {
  /// Whether there is a playlist `id`; known at once.
  func hasPlaylist(_ id: String) -> Bool
  /// The tracks of the playlist `id`, at most `most`; or why there are none.
  func finding(ofPlaylist id: String, most: Int) async -> PinFinding
}

extension Playlists: PlaylistTracks {
  nonisolated func hasPlaylist(_ id: String) -> Bool { UInt32(id).map { self[$0] != nil } ?? false }

  func finding(ofPlaylist id: String, most: Int) async -> PinFinding {
    guard let id = UInt32(id) else { return PinFinder.noPlaylist }
    switch await tracks(of: id, most: most) {
    case .value(let found): return .tracks(found.tracks)
    case .problem(let problem): return .nothing(PlaybackFailure(.other, problem.detail))
    }
  }
}

/// Finds out what pins stand for (`Effect.findPin`). Asks media servers only for pins of media servers, so that the control
/// point doesn't run for others.
///
/// Used on the event loop only.
final class PinFinder: Sendable {
  /// The time for a media server to be found and to list what it has.
  private static let time = Duration.seconds(25)

  /// Media servers; bound once the page's control point exists.
  let places = SetOnce<any MediaPlaces>()
  /// Stored playlists; bound with them.
  let playlists = SetOnce<any PlaylistTracks>()
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// Answers at once where nobody has to be asked. Whatever was looked for before isn't any more.
  func find(_ id: ResolveID, _ pin: Pin, for player: isolated PlayerCore) {
    stop()
    do throws(PinError) {
      let uri = try PinURI(pin.uri, mode: pin.mode)
      if let finding = PinFinding(uri, of: pin) { return player.found(finding, of: id) }
      let most = player.state.configuration.tracksMax
      switch uri {
      case .object(let server, let object):
        guard let places = places.value else { return player.found(Self.noServers, of: id) }
        answer(id, player) { await Self.tracks(of: object, on: server, most, places) }
      case .playlist(let playlist):
        guard let playlists = playlists.value, playlists.hasPlaylist(playlist) else {
          return player.found(Self.noPlaylist, of: id)
        }
        answer(id, player) { await playlists.finding(ofPlaylist: playlist, most: most) }
      case .stream, .preset, .source: break
      }
    } catch {
      player.found(.nothing(PlaybackFailure(.refusedURI, "\(error.text).")), of: id)
    }
  }

  /// Stops looking.
  func stop() {
    task.withLock { task in
      task?.cancel()
      task = nil
    }
  }

  private func answer(
    _ id: ResolveID, _ player: PlayerCore, _ find: @escaping @Sendable () async -> PinFinding
  ) {
    task.withLock { task in
      task = Task {
        let finding = await find()
        guard !Task.isCancelled else { return }
        await player.found(finding, of: id)
      }
    }
  }

  private static let noServers = PinFinding.nothing(
    PlaybackFailure(.notFound, "There are no media servers here."))
  fileprivate static let noPlaylist = PinFinding.nothing(
    PlaybackFailure(.notFound, "There is no such playlist any more."))

  private static func tracks(
    of object: String, on server: String, _ most: Int, _ places: any MediaPlaces
  ) async -> PinFinding {
    switch await places.tracks(server: server, object: object, most: most, within: time) {
    case .value(let found): .tracks(found.tracks)
    case .problem(let problem):
      .nothing(PlaybackFailure(problem.status == .notFound ? .notFound : .unreachable, problem.detail))
    }
  }
}
