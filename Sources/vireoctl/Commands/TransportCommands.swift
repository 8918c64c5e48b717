import ArgumentParser

struct PauseCommand: Command {
  static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pauses.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    try await renderer.perform(.pause)
    return renderer.done()
  }
}

struct ToggleCommand: Command {
  static let configuration = CommandConfiguration(commandName: "toggle", abstract: "Pauses, or plays on.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    let state = try await renderer.status().state
    try await renderer.perform(state == .playing || state == .buffering ? .pause : .play)
    return renderer.done()
  }
}

struct StopCommand: Command {
  static let configuration = CommandConfiguration(commandName: "stop", abstract: "Stops.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    try await renderer.perform(.stop)
    return renderer.done()
  }
}

struct NextCommand: Command {
  static let configuration = CommandConfiguration(commandName: "next", abstract: "Plays the next track.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    try await renderer.perform(.next)
    return renderer.done()
  }
}

struct PreviousCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "previous", abstract: "Plays the previous track.", aliases: ["prev"])
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    try await renderer.perform(.previous)
    return renderer.done()
  }
}

struct SeekCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "seek", abstract: "Goes to a position: 1:23, 90 (seconds), +30, -10 or 50%.")
  @Argument(help: "Where to.") var position: String
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard SeekTarget(position) != nil else {
      throw ValidationError("a position is 1:23, 90, +30, -10 or 50%, not \"\(position)\"")
    }
  }

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    if let target = SeekTarget(position) { try await renderer.seek(target) }
    return renderer.done()
  }
}
