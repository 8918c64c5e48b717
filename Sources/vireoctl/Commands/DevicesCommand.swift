import ArgumentParser
import ControlPoint
import NIOCore
import Renderers

/// Lists devices.
struct DevicesCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "Lists the devices in the network.", aliases: ["list"])

  enum Choice: String, EnumerableFlag {
    case all, renderers, servers

    static func help(for value: Choice) -> ArgumentHelp? {
      switch value {
      case .all: "Everything that there is (the default)."
      case .renderers: "Renderers only."
      case .servers: "Media servers only."
      }
    }
  }

  @Flag(help: "Which devices.") var choice = Choice.all
  @Flag(name: [.long, .customLong("follow")], help: "Go on, and print what changes.") var watch = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let kinds: Set<DeviceKind> =
      switch choice {
      case .all: [.any, .mediaRenderer, .mediaServer, .openHomeProduct]
      case .renderers: [.mediaRenderer, .openHomeProduct]
      case .servers: [.mediaServer]
      }
    if watch {
      try await follow(kinds, session)
      return nil
    }
    return try await DeviceFinder(session).list(kinds)
  }

  private func follow(_ kinds: Set<DeviceKind>, _ session: Session) async throws {
    for await change in await session.controlPoint.devices(kinds) {
      let (device, word) = (change.device, change.word)
      try session.output.show(
        DeviceList.change(DeviceList.Entry(DeviceFacts(device), secondsAgo: device.secondsAgo), word))
    }
    try Task.checkCancellation()
  }
}

extension FoundDevice {
  /// Seconds since it was last heard of.
  var secondsAgo: Int { Int(max(0, (NIODeadline.now() - lastSeen).nanoseconds / 1_000_000_000)) }
}

extension DeviceChange {
  fileprivate var word: String {
    switch self {
    case .appeared: "appeared"
    case .updated: "updated"
    case .restarted: "restarted"
    case .expired: "expired"
    case .left: "left"
    }
  }
}
