import Renderers

/// Waits until a renderer has played what it was given.
struct PlayWait: Sendable {
  private static let interval = Duration.seconds(1)

  let renderer: Renderer
  /// False for what is to be played at some later time.
  var beginsAtOnce = true
  /// True if the renderer is at something that it was given.
  let isOwn: @Sendable (PlayerStatus) -> Bool
  /// True when the renderer has read something of it.
  var isRead: @Sendable () -> Bool = { false }

  /// - Throws: ``Failure`` if the renderer hasn't played it.
  func finish() async throws {
    let start = ContinuousClock.now
    var watch = PlayWatch(now: .zero, beginsAtOnce: beginsAtOnce)
    while true {
      try await Task.sleep(for: Self.interval)
      let status = try? await renderer.status()
      let end = watch.take(
        look(status), isRead: isRead(), isHeard: status?.isHeard ?? false, now: ContinuousClock.now - start)
      guard let end else { continue }
      switch end {
      case .over: return
      case .replaced: return renderer.session.output.note("\(renderer.name) plays something else now")
      case .neverBegan:
        throw Failure(
          .timedOut, "\(renderer.name) hasn't begun to play",
          hints: ["a firewall may keep it from where the music is"])
      case .notPlayed: throw Failure(.refused, "\(renderer.name) took it and didn't play it")
      case .gone: throw Failure(.unreachable, "\(renderer.name) can't be reached any more")
      }
    }
  }

  private func look(_ status: PlayerStatus?) -> PlayWatch.Look {
    guard let status else { return .silent }
    return status.state == .stopped ? .stopped : .active(isOwn: isOwn(status))
  }
}
