import ArgumentParser

struct VolumeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "volume", abstract: "Prints the volume, or sets it: 30, +5 or -5.", aliases: ["vol"])
  @Argument(help: "The volume, or its change.") var volume: String?
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let volume, VolumeTarget(volume) == nil {
      throw ValidationError("a volume is 30, +5 or -5, not \"\(volume)\"")
    }
  }

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    if let target = volume.flatMap({ VolumeTarget($0) }) {
      return renderer.done(["volume": .number(try await renderer.setVolume(target))])
    }
    let volume = try await renderer.volume()
    return .lines(
      ["\(volume)"], json: .members(["renderer": .string(renderer.name), "volume": .number(volume)]))
  }
}

struct MuteCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Says whether it is muted, or mutes: on, off or toggle.")
  @Argument(help: "on, off or toggle.") var value: Switch?
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    guard let value else {
      let isMuted = try await renderer.isMuted()
      return .lines(
        [isMuted ? "on" : "off"],
        json: .members(["renderer": .string(renderer.name), "mute": .bool(isMuted)]))
    }
    let isMuted = value == .toggle ? !(try await renderer.isMuted()) : value == .on
    try await renderer.setMuted(isMuted)
    return renderer.done(["mute": .bool(isMuted)])
  }
}

extension Switch: ExpressibleByArgument {}
