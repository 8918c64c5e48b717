import Logging
import NIOPosix
import Player

/// `--print-description`: the devices as they would be described, without starting anything.
enum DescriptionCommand {
  static func text(_ options: Options, loaded: SettingsLoader.Loaded) -> String {
    let loggers = Loggers(settings: Settings.Log(level: .error), sink: .standardError())
    let identity = Launch.identity(options, loaded.settings, logger: loggers[.daemon])
    let player = PlayerCore(
      executor: MultiThreadedEventLoopGroup.singleton.next().executor, configuration: PlayerConfiguration(),
      output: Silence(), clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    let devices = Devices(
      identity: identity, player: player, settings: loaded.settings, loggers: loggers, base: { "" })
    return devices.roots(loaded.settings).map(\.document).joined(separator: "\n")
  }

  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }
}
