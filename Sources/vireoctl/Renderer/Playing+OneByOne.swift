import ControlPoint
import DIDLLite
import Proxies

extension Playing {
  /// How often a renderer without a queue is asked where it is.
  private static let interval = Duration.seconds(1)

  /// Plays tracks on a renderer that has no queue: stays until the last one plays.
  func playOneByOne(_ tracks: [Track]) async throws {
    let transport: AVTransport1.Proxy = try renderer.proxy(.avTransport)
    try await play(tracks[0], transport)
    guard tracks.count > 1 else { return }
    renderer.session.output.note(
      "\(renderer.name) has no queue: vireoctl hands over one track after another, and stays until the last one plays"
    )
    let clock = ContinuousClock()
    let start = clock.now
    var index = 0
    func turns(hasBegun: Bool = false) async -> TrackTurns {
      let isHandedOver = index + 1 < tracks.count ? await handOver(tracks[index + 1], transport) : false
      return TrackTurns(
        duration: tracks[index].duration, isHandedOver: isHandedOver, hasBegun: hasBegun,
        now: clock.now - start)
    }
    var turn = await turns()
    var lastAnswer = clock.now
    while index < tracks.count - 1 {
      try await Task.sleep(for: Self.interval)
      guard let look = await look(at: tracks[index], next: tracks[index + 1]) else {
        guard clock.now - lastAnswer < PlayWatch.silence else {
          throw Failure(.unreachable, "\(renderer.name) can't be reached any more")
        }
        continue
      }
      lastAnswer = clock.now
      switch turn.take(look, now: clock.now - start) {
      case .wait: continue
      case .wentOn:
        index += 1
        turn = await turns(hasBegun: true)
      case .next:
        index += 1
        try await play(tracks[index], transport)
        turn = await turns()
      case .stopped:
        return renderer.session.output.note("\(renderer.name) was stopped; the other tracks are left out")
      case .unknown:
        return renderer.session.output.note(
          "\(renderer.name) has stopped, and doesn't say whether \"\(tracks[index].title)\" was over; the other tracks are left out"
        )
      case .neverBegan:
        throw Failure(
          .timedOut, "\(renderer.name) hasn't begun to play \"\(tracks[index].title)\"",
          hints: ["the other tracks are left out"])
      }
    }
  }

  /// Nil if the renderer doesn't answer.
  private func look(at track: Track, next: Track) async -> TrackTurns.Look? {
    let position = await renderer.ask(.avTransport, "GetPositionInfo", [("InstanceID", "0")])
    let state = await renderer.ask(.avTransport, "GetTransportInfo", [("InstanceID", "0")])
    guard let state else { return nil }
    return TrackTurns.Look(
      state: PlayerStatus.State(wire: state.text("CurrentTransportState")),
      isNext: position?.text("TrackURI") == next.uri && track.uri != next.uri,
      position: Self.seconds(position?.text("RelTime")),
      duration: Self.seconds(position?.text("TrackDuration")))
  }

  private func play(_ track: Track, _ transport: AVTransport1.Proxy) async throws {
    try await renderer.attempt { () async throws(ActionFailure) in
      try await transport.setAVTransportURI(currentURI: track.uri, currentURIMetaData: track.metadata)
      try await transport.play(speed: ._1)
    }
    given.add(track.uri, id: nil)
  }

  private static func seconds(_ text: String?) -> Int? {
    text.flatMap { ClockTime.duration($0) }.map { Int($0.components.seconds) }
  }

  /// False if the renderer can't be told what comes next.
  private func handOver(_ track: Track, _ transport: AVTransport1.Proxy) async -> Bool {
    do {
      try await transport.setNextAVTransportURI(nextURI: track.uri, nextURIMetaData: track.metadata)
      given.add(track.uri, id: nil)
      return true
    } catch {
      return false
    }
  }
}
