import Player
import Renderers

/// Who gives which renderer something to play, and when.
extension MediaControl {
  /// Requests for one renderer at a time: the one at work, and those that wait for it.
  private static let mostRequests = 3

  /// One request after the other gives a renderer something to play; half a request would leave it with half a queue, so
  /// that none ends when nobody waits for it any more.
  func inTurn(
    for renderer: FoundRenderer,
    _ work: @escaping @Sendable (isolated MediaControl) async throws(Problem) -> API.PlayResult
  ) async -> Outcome<API.PlayResult> {
    let key = renderer.key
    let before = puts[key]
    guard before?.count ?? 0 < Self.mostRequests else {
      return .problem(
        .conflict("\(renderer.name) is still being given what was asked for before.", type: "busy"))
    }
    let task = Task { () async -> Outcome<API.PlayResult> in
      _ = await before?.last.value
      do throws(Problem) {
        return .value(try await work(self))
      } catch {
        return .problem(error)
      }
    }
    puts[key] = (task, (before?.count ?? 0) + 1)
    let outcome = await task.value
    if let count = puts[key]?.count { puts[key]?.count = count - 1 }
    if puts[key]?.count == 0 { puts[key] = nil }
    return outcome
  }

  // MARK: One by one

  static let maximumHandovers = 8

  /// Hands over track after track; false if that is done for too many renderers already.
  func beginHandover(_ tracks: [RendererTrack], to renderer: FoundRenderer) -> Bool {
    let key = renderer.key
    endHandover(to: key)
    guard let run, run.handovers.count < Self.maximumHandovers else { return false }
    hold()
    let id = run.id
    self.run?.handovers[key] = Task {
      let end = try? await renderer.remote.handOver(tracks)
      if let end, end != .last { logger.debug("no more tracks for \(renderer.name): \(end)") }
      if !Task.isCancelled, self.run?.id == id { self.run?.handovers[key] = nil }
      release()
    }
    return true
  }

  func endHandover(to key: String) { run?.handovers.removeValue(forKey: key)?.cancel() }
}
