import Logging
import NIOPosix
import Player

/// `--print-description`: the devices as they would be described, without starting anything.
enum DescriptionCommand {
  /// One XML document; of all devices, one after the other, with an empty line between.
  ///
  /// - Parameter kind: nil for all that are switched on.
  static func text(
    _ kind: Devices.Kind?, _ options: Options, loaded: SettingsLoader.Loaded
  ) throws(Options.Problem) -> String {
    let loggers = Loggers(settings: Settings.Log(level: .error), sink: .standardError())
    let identity = Launch.identity(options, loaded.settings, logger: loggers[.daemon])
    let player = PlayerCore(
      executor: MultiThreadedEventLoopGroup.singleton.next().executor, configuration: PlayerConfiguration(),
      output: Silence(), clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    let devices = Devices(
      identity: identity, player: player, settings: loaded.settings, loggers: loggers, base: { "" })
    guard let kind else {
      return devices.roots(loaded.settings).map { $0.document + "\n" }.joined(separator: "\n")
    }
    guard let device = devices.root(kind, loaded.settings) else {
      throw Options.Problem(message: "--print-description: the configuration switches \(kind.rawValue) off")
    }
    return device.document + "\n"
  }

  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }
}
