import Logging
import NIOPosix
import Player

/// `--print-description`: the devices as they would be described, without starting anything.
enum DescriptionCommand {
  static func text(_ options: Options, loader: SettingsLoader, loaded: SettingsLoader.Loaded) -> String {
    let loggers = Loggers(settings: Settings.Log(level: .error), sink: .standardError())
    let start = Launch.start(options, loader: loader, loaded: loaded, logger: loggers[.daemon])
    let player = PlayerCore(
      executor: MultiThreadedEventLoopGroup.singleton.next().executor, configuration: PlayerConfiguration(),
      output: Silence(), clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    let devices = Devices(identity: start.identity, player: player, loggers: loggers)
    return devices.roots(loaded.settings).map(\.document).joined(separator: "\n")
  }

  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }
}
