/// Waits until a renderer has played what it was given.
struct PlayWait: Sendable {
  private static let interval = Duration.seconds(1)

  let renderer: Renderer
  /// False for what is to be played at some later time.
  var beginsAtOnce = true
  /// True for the address of what it was given.
  let isOwn: @Sendable (String) -> Bool
  /// True when the renderer has read something of it.
  var isRead: @Sendable () -> Bool = { false }

  /// - Throws: ``Failure`` if the renderer hasn't played it.
  func finish() async throws {
    let start = ContinuousClock.now
    var watch = PlayWatch(now: .zero, beginsAtOnce: beginsAtOnce)
    while true {
      try await Task.sleep(for: Self.interval)
      guard let end = watch.take(await look(), isRead: isRead(), now: ContinuousClock.now - start) else {
        continue
      }
      switch end {
      case .over: return
      case .replaced: return renderer.session.output.note("\(renderer.name) plays something else now")
      case .neverBegan:
        throw Failure(
          .timedOut, "\(renderer.name) hasn't begun to play",
          hints: ["a firewall may keep it from where the music is"])
      case .gone: throw Failure(.unreachable, "\(renderer.name) can't be reached any more")
      }
    }
  }

  private func look() async -> PlayWatch.Look {
    guard let status = try? await renderer.status() else { return .silent }
    guard status.state != .stopped else { return .stopped }
    return .active(isOwn: [status.uri, status.givenURI].contains { $0.map(isOwn) ?? false })
  }
}
