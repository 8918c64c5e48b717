import Logging
import NIOPosix
import Player
import Services

/// `--print-description`: prints the device descriptions without starting anything.
enum DescriptionCommand {
  /// Returns one XML document, or those of all devices with an empty line between them.
  ///
  /// - Parameters:
  ///   - kind: The device; nil for all that are enabled.
  ///   - options: The options of the command line.
  ///   - loaded: The configuration.
  /// - Throws: `Options.Problem` when the configuration disables the device.
  static func text(
    _ kind: Devices.Kind?, _ options: Options, loaded: SettingsLoader.Loaded
  ) throws(Options.Problem) -> String {
    let loggers = Loggers(settings: Settings.Log(level: .error), sink: .standardError())
    let identity = Launch.identity(options, loaded.settings, logger: loggers[.daemon])
    let player = PlayerCore(
      executor: MultiThreadedEventLoopGroup.singleton.next().executor, configuration: PlayerConfiguration(),
      output: Silence(), clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    let devices = Devices(
      identity: identity, player: player, settings: loaded.settings, loggers: loggers, base: { "" },
      zone: zone(identity, loaded.settings, player))
    guard let kind else {
      return devices.roots(loaded.settings).map { $0.document + "\n" }.joined(separator: "\n")
    }
    guard let device = devices.root(kind, loaded.settings) else {
      throw Options.Problem(message: "--print-description: the configuration switches \(kind.rawValue) off")
    }
    return device.document + "\n"
  }

  /// The zone as nobody has changed it yet.
  private static func zone(_ identity: DeviceIdentity, _ settings: Settings, _ player: PlayerCore)
    -> ZoneHome?
  {
    guard settings.sonos.enabled else { return nil }
    return ZoneHome(
      identity: identity.zone(settings, bootSequence: 1), player: player,
      room: settings.openHomeConfiguration.room, notes: nil,
      surroundings: ZoneHome.Surroundings(
        address: { nil }, clock: { HostClock.local }, keep: { _ in }, changed: { _ in }))
  }

  private struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }
}
