import Player
import PlayerStore

extension Daemon {
  /// Everything that is known before the daemon runs.
  struct Start: Sendable {
    var loader: SettingsLoader
    var loaded: SettingsLoader.Loaded
    /// Nil when there is no directory for the state.
    var store: PlayerStore?
    /// The daemon's state from the last run.
    var host = HostState()
    /// The player's state from the last run; nil when it was never saved.
    var player: PlayerSnapshot?
    var identity: DeviceIdentity
    /// The ID from which the identity is derived; nil when there is no need to save it.
    var installationID: String?
    var bootID: UInt32
    /// The current ``FormatCache/key``.
    var formatKey: String?
  }
}
