import ControlPoint
import DIDLLite
import Network
import Proxies

extension RemoteRenderer {
  /// How often a renderer without a queue is asked where it is.
  private static let interval = Duration.seconds(1)
  /// How long it may be silent.
  private static let silence = Duration.seconds(30)

  /// Why no more tracks are handed over.
  package enum OneByOneEnd: Sendable, Hashable {
    /// The last one plays.
    case last
    /// Somebody has stopped the renderer.
    case stopped
    /// It stopped, and nothing says whether this track was over.
    case unknown(RendererTrack)
    /// This track hasn't begun within the time.
    case neverBegan(RendererTrack)
    case silent
  }

  /// Plays a track on a renderer that has no queue.
  package func play(_ track: RendererTrack) async throws(RendererFailure) {
    let transport: AVTransport1.Proxy = try proxy(.avTransport)
    try await attempt { () async throws(ActionFailure) in
      try await transport.setAVTransportURI(currentURI: track.uri, currentURIMetaData: track.metadata)
      try await transport.play(speed: ._1)
    }
  }

  /// Hands over one track after another while the first, which was begun by ``play(_:)``, and the others play; returns when
  /// the last one plays, or none is to follow.
  ///
  /// - Parameter given: is told each address that the renderer has got.
  package func handOver(
    _ tracks: [RendererTrack], given: @Sendable (String) -> Void = { _ in }
  ) async throws(RendererFailure) -> OneByOneEnd {
    let clock = ContinuousClock()
    let start = clock.now
    var index = 0
    func turns(hasBegun: Bool = false) async -> TrackTurns {
      let isHandedOver = index + 1 < tracks.count ? await handOver(tracks[index + 1]) : false
      if isHandedOver { given(tracks[index + 1].uri) }
      return TrackTurns(
        duration: tracks[index].duration, isHandedOver: isHandedOver, hasBegun: hasBegun,
        now: clock.now - start)
    }
    var turn = await turns()
    var lastAnswer = clock.now
    while index < tracks.count - 1 {
      await controlPoint.exchange.eventLoop.pause(for: Self.interval)
      guard !Task.isCancelled else { throw .call(.cancelled) }
      guard let look = await look(at: tracks[index], next: tracks[index + 1]) else {
        guard clock.now - lastAnswer < Self.silence else { return .silent }
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
        try await play(tracks[index])
        given(tracks[index].uri)
        turn = await turns()
      case .stopped: return .stopped
      case .unknown: return .unknown(tracks[index])
      case .neverBegan: return .neverBegan(tracks[index])
      }
    }
    return .last
  }

  /// Nil if the renderer doesn't answer.
  private func look(at track: RendererTrack, next: RendererTrack) async -> TrackTurns.Look? {
    let position = await ask(.avTransport, "GetPositionInfo", [("InstanceID", "0")])
    let state = await ask(.avTransport, "GetTransportInfo", [("InstanceID", "0")])
    guard let state else { return nil }
    return TrackTurns.Look(
      state: PlayerStatus.State(wire: state.text("CurrentTransportState")),
      isNext: position?.text("TrackURI") == next.uri && track.uri != next.uri,
      position: Self.seconds(position?.text("RelTime")),
      duration: Self.seconds(position?.text("TrackDuration")))
  }

  private static func seconds(_ text: String?) -> Int? {
    text.flatMap { ClockTime.duration($0) }.map { Int($0.components.seconds) }
  }

  /// False if the renderer can't be told what comes next.
  private func handOver(_ track: RendererTrack) async -> Bool {
    guard let transport: AVTransport1.Proxy = try? proxy(.avTransport) else { return false }
    return (try? await transport.setNextAVTransportURI(nextURI: track.uri, nextURIMetaData: track.metadata))
      != nil
  }
}
