import NIOCore
import Network
import Player
import PlayerStore
import Text

/// Saves and restores the daemon's own state.
extension Daemon {
  /// The formats that an earlier run has found and that are still valid.
  var knownFormats: HostState.Formats? {
    start.host.formats.flatMap { $0.key == start.formatKey ? $0 : nil }
  }

  /// Finds the MIME types that this host can play. Until then, the player lists those that every installation can play.
  func findMIMETypes() {
    sound.findMIMETypes { [eventLoop, player, store, logger, key = start.formatKey] types in
      eventLoop.execute {
        player.assumeIsolated { try? $0.perform(.setMIMETypes(types)) }
        store?.changeHost { $0.formats = key.map { HostState.Formats(key: $0, mimeTypes: types) } }
        logger.debug("\(counted(types.count, "MIME type")) can be played")
      }
    }
  }

  /// Notes the numbers that control points will see from now on.
  func begin() {
    let firstID = player.assumeIsolated { $0.state.playlist.firstID }
    start.store?.begin(bootID: start.bootID, firstID: firstID)
  }

  func keep() {
    if let id = start.installationID { store?.changeHost { $0.installationID = id } }
    // Save the player once, so that the next start isn't taken for the first.
    if isFirstStart { store?.record(player.assumeIsolated { $0.state.snapshot }) }
    keepBootID()
  }

  /// Saves the boot ID, which discovery increments when a network is added. The next start must use a higher one.
  func keepBootID() {
    let number = UInt32(clamping: server.assumeIsolated { $0.bootID })
    store?.changeHost { $0.bootID = number }
  }

  /// Ends the hooks after the last sound, since one may switch off an amplifier. ``HookRunner/wait()`` waits for them.
  func endHooks() { hooks.end() }

  /// Saves the position in the track at exit, since it isn't recorded during playback.
  func keepPosition() {
    guard settings.playback.resume else { return }
    let snapshot = player.assumeIsolated {
      PlayerSnapshot(player: $0.state.saved(at: $0.now), tracks: $0.state.playlist.tracks)
    }
    store?.record(snapshot)
  }

  /// Ends the reports of what was heard: what was under way is sent now, if that goes soon. Doesn't wait for it.
  func endReports() { reports?.assumeIsolated { $0.end() } }

  /// Waits for the last reports, until `deadline` at most, and has deleted what has arrived.
  func finishReports(until deadline: NIODeadline) async {
    guard let reports else { return }
    while reports.isCalling, .now() < deadline, !Task.isCancelled {
      await eventLoop.pause(for: .milliseconds(10))
    }
    await reports.finish()
  }
}
