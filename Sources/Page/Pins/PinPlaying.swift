import HTTP
import Logging
import Pins
import Player
import Services

/// Plays a pin, and waits until it is known what has come of it.
struct PinPlaying: Sendable {
  let player: PlayerCore
  let section: PlayerSection
  let undo: QueueUndo
  let logger: Logger

  /// - Parameter value: what is answered when the pin plays.
  func play<Value>(
    _ pin: Pin, _ context: APIContext, value: @escaping @Sendable () -> Value
  ) -> Reply<Value> {
    section.audibly {
      CastLog(logger: logger, context: context.action, casters: section.casters, isPage: true).play(pin)
      let before = player.currentState.playlist
      do throws(PlayerError) {
        try player.change([.pins(.play(pin))])
      } catch {
        return .problem(Problem(error))
      }
      guard let play = player.currentState.pinPlay else { return .value(value()) }
      if let end = PinEnd(play, play.id, before: before) { return Reply(outcome(end, value)) }
      let wait = wait(for: play.id)
      return .later {
        let end = await self.end(wait)
        return await player.within { _ in outcome(end, value) }
      }
    }
  }

  /// What has come of a pin.
  private struct PinEnd: Sendable {
    var progress: PinPlay.Progress
    /// The queue before it.
    var before: Playlist

    /// Nil while it is still looked for.
    init?(_ play: PinPlay?, _ id: ResolveID, before: Playlist) {
      progress = play?.id == id ? play?.progress ?? .dropped : .dropped
      self.before = before
      if progress == .finding { return nil }
    }
  }

  private struct Wait: Sendable {
    var ends: AsyncStream<PinEnd>
    var observer: PlayerCore.ObserverID
  }

  /// Watches a pin that is looked for. Begun at once, so that nothing of it is missed.
  private func wait(for id: ResolveID) -> Wait {
    let (ends, continuation) = AsyncStream.makeStream(of: PinEnd.self)
    let observer = player.assumeIsolated { player in
      player.observe { old, new in
        if let end = PinEnd(new.pinPlay, id, before: old.playlist) { continuation.yield(end) }
      }
    }
    return Wait(ends: ends, observer: observer)
  }

  /// Waits for the end; nil if nobody waits any more.
  private func end(_ wait: Wait) async -> PinEnd? {
    var first: PinEnd?
    for await end in wait.ends {
      first = end
      break
    }
    await player.removeObserver(wait.observer)
    return first
  }

  private func outcome<Value>(_ end: PinEnd?, _ value: @Sendable () -> Value) -> Outcome<Value> {
    switch end?.progress {
    case .done:
      if let before = end?.before {
        undo.remember("Replacing the queue", before: before, after: player.currentState.playlist)
      }
      return .value(value())
    case .failed(let failure): return .problem(Problem(failure))
    case .finding, .dropped, nil:
      return .problem(.conflict("Something else was chosen meanwhile.", type: "superseded"))
    }
  }
}

extension Problem {
  /// The problem that something can't be played.
  init(_ failure: PlaybackFailure) {
    let (type, status): (String, HTTPStatus) =
      switch failure.kind {
      case .notFound: ("not-found", .notFound)
      case .refusedURI: ("address-refused", .unprocessableContent)
      case .unsupportedFormat, .missingDecoder, .corrupt: ("not-playable", .unprocessableContent)
      case .unreachable, .timedOut, .serverFault, .tooManyRedirects, .untrusted, .forbidden:
        ("no-answer", .badGateway)
      case .device, .other: ("not-possible-now", .conflict)
      }
    self.init(type, status, failure.message)
  }
}
