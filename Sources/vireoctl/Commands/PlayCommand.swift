import ArgumentParser
import ControlPoint
import Renderers

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
      server, the number of a line that browse or search has printed last, or a file of this machine, which is served to \
      the renderer alone for as long as it plays. Only renderers that speak OpenHome have a \
      queue; others get one track after another for as long as vireoctl runs.
      """)

  enum Place: String, EnumerableFlag {
    case now, next, end, replace

    static func help(for value: Place) -> ArgumentHelp? {
      switch value {
      case .now: "Play it at once, and keep the queue."
      case .next: "Play it after the present track."
      case .end: "Play it after everything else."
      case .replace: "Play it instead of the queue."
      }
    }
  }

  @OptionGroup var what: WhatOptions
  @Flag(help: "Where it goes.") var place = Place.now
  @Flag(help: "Stay until it has been played; for a file of this machine, always.") var wait = false
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    guard !what.words.isEmpty else {
      try await renderer.perform(.play)
      return renderer.done()
    }
    let paths = PlayWhat(session).files(what.words)
    guard paths.isEmpty else { return try await play(paths, renderer, session) }
    let given = GivenTracks()
    let report = try await put([:], renderer, session, given)
    guard wait else { return report }
    try session.output.show(report)
    try await PlayWait(renderer: renderer, beginsAtOnce: beginsAtOnce) { given.contains($0) }.finish()
    return nil
  }

  private var beginsAtOnce: Bool { place == .now || place == .replace }

  private func put(
    _ served: [String: MediaObject], _ renderer: Renderer, _ session: Session, _ given: GivenTracks
  ) async throws -> Report {
    let tracks = try await PlayWhat(session).tracks(what.words, served: served)
    return try await Playing(renderer, given: given).put(tracks, PlayPlace(rawValue: place.rawValue) ?? .now)
  }

  /// Serves files of this machine, and stays until they have been played.
  private func play(_ paths: [String], _ renderer: Renderer, _ session: Session) async throws -> Report? {
    let local = try await LocalFiles.serve(paths, to: renderer)
    let given = GivenTracks()
    let result: Result<Void, any Error>
    do {
      let served = Dictionary(zip(paths, local.objects), uniquingKeysWith: { first, _ in first })
      try session.output.show(try await put(served, renderer, session, given))
      let wait = PlayWait(
        renderer: renderer, beginsAtOnce: beginsAtOnce, isOwn: { given.contains($0) || local.isOwn($0) },
        isRead: { local.isRead })
      try await wait.finish()
      result = .success(())
    } catch { result = .failure(error) }
    // In the queue, what isn't served any more would only fail.
    await given.remove(from: renderer) { local.isOwn($0) }
    await local.stop()
    try result.get()
    return nil
  }
}
