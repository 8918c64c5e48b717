import NIOCore
import Player
import PlayerStore

/// What the daemon itself has kept from one run to the next.
extension Daemon {
  /// What was found by an earlier run and still holds.
  var knownFormats: HostState.Formats? {
    start.host.formats.flatMap { $0.key == start.formatKey ? $0 : nil }
  }

  /// Until the output knows better, the player shows what every installation can play.
  func findMIMETypes() {
    sound.findMIMETypes { [eventLoop, player, store, logger, key = start.formatKey] types in
      eventLoop.execute {
        player.assumeIsolated { try? $0.perform(.setMIMETypes(types)) }
        store?.changeHost { $0.formats = key.map { HostState.Formats(key: $0, mimeTypes: types) } }
        logger.debug("\(types.count) MIME types can be played")
      }
    }
  }

  func keep() {
    if let id = start.installationID { store?.changeHost { $0.installationID = id } }
    // So that the first track needn't wait for the database to be made.
    if isFirstStart { store?.record(player.assumeIsolated { $0.state.snapshot }) }
    keepBootID()
  }

  /// Discovery raises the number when networks come, and the next start must be above it.
  func keepBootID() {
    guard let discovery else { return }
    let number = UInt32(clamping: discovery.assumeIsolated { $0.bootID })
    store?.changeHost { $0.bootID = number }
  }

  /// Where the track is now is only known now.
  func keepPosition() {
    guard settings.playback.resume else { return }
    let snapshot = player.assumeIsolated {
      PlayerSnapshot(settings: $0.state.settings(at: $0.now), tracks: $0.state.playlist.tracks)
    }
    store?.record(snapshot)
  }
}
