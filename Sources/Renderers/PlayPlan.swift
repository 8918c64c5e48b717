/// Where new tracks go.
package enum PlayPlace: String, Sendable, Hashable, CaseIterable {
  case now, next, end, replace
}

/// How tracks get to a renderer: by its OpenHome queue if it has one, else one by one.
package enum PlayPlan: Sendable, Hashable {
  case queue([QueueStep])
  /// The first is played, and each following one handed over while its predecessor plays.
  case oneByOne
  /// The track is played after the present one, and there can be only one.
  case handOver
  /// The renderer can't do that.
  case impossible(String)

  package enum QueueStep: Sendable, Hashable {
    case clear
    /// The first track, after an id of the queue, 0 for the beginning.
    case insertFirst(after: UInt32)
    /// Chooses the queue as the source.
    case choose
    /// Plays the first of the new tracks.
    case playFirst
    /// Each further track after the one before. It may take long, and what plays shouldn't wait for it.
    case insertRest
  }

  /// - Parameters:
  ///   - queue: the ids of the queue, and the one that is played; nil if there is none.
  ///   - count: how many tracks there are.
  package static func plan(
    _ place: PlayPlace, count: Int, services: Set<RendererService>, queue: (ids: [UInt32], current: UInt32?)?
  ) -> PlayPlan {
    if services.contains(.playlist), let queue {
      let current = queue.current.flatMap { queue.ids.contains($0) ? $0 : nil } ?? queue.ids.last ?? 0
      switch place {
      case .now: return .queue([.insertFirst(after: current), .choose, .playFirst, .insertRest])
      case .next: return .queue([.insertFirst(after: current), .insertRest])
      case .end: return .queue([.insertFirst(after: queue.ids.last ?? 0), .insertRest])
      case .replace: return .queue([.clear, .insertFirst(after: 0), .choose, .playFirst, .insertRest])
      }
    }
    guard services.contains(.avTransport) else { return .impossible("it has nothing to play with") }
    switch place {
    case .now, .replace: return .oneByOne
    case .next where count == 1: return .handOver
    case .next:
      return .impossible("it can be given one next track only; queues need a renderer that speaks OpenHome")
    case .end: return .impossible("it has no queue; only renderers that speak OpenHome have one")
    }
  }
}
