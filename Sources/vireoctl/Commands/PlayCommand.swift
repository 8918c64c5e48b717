import ArgumentParser

/// What is to be played.
struct WhatOptions: ParsableArguments {
  @Argument(help: "An address, SERVER/PATH, SERVER:ID, or the number of a line of the last browse or search.")
  var words: [String] = []
}

struct PlayCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Plays on, or plays something.",
    discussion: """
      Without WHAT it plays what is chosen. WHAT is an address that the renderer reaches, a track, album or folder of a media \
      server, or the number of a line that browse or search has printed last. Only renderers that speak OpenHome have a \
      queue; others get one track after another for as long as vireoctl runs.
      """)

  enum Place: String, EnumerableFlag {
    case now, next, end, replace

    static func help(for value: Place) -> ArgumentHelp? {
      switch value {
      case .now: "Play it at once, and keep the queue (the default)."
      case .next: "Play it after the present track."
      case .end: "Play it after everything else."
      case .replace: "Play it instead of the queue."
      }
    }
  }

  @OptionGroup var what: WhatOptions
  @Flag(help: "Where it goes.") var place = Place.now
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    guard !what.words.isEmpty else {
      try await renderer.perform(.play)
      return renderer.done()
    }
    let tracks = try await PlayWhat(session).tracks(what.words)
    return try await Playing(renderer).put(tracks, PlayPlace(rawValue: place.rawValue) ?? .now)
  }
}
