import Player
import PlayerStore

extension Daemon {
  /// All that is known before anything runs.
  struct Start: Sendable {
    var loader: SettingsLoader
    var loaded: SettingsLoader.Loaded
    /// nil when there is no directory to keep anything in.
    var store: PlayerStore?
    /// What was kept of the last run.
    var host = HostState()
    /// nil when the player was never saved.
    var player: PlayerSnapshot?
    var identity: DeviceIdentity
    /// What the identity is made of, where it has to be kept.
    var installationID: String?
    var bootID: UInt32
    /// ``FormatCache/key``
    var formatKey: String?
  }
}
