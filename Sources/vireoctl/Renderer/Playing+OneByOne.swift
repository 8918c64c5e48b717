import ControlPoint
import DIDLLite
import Proxies

extension Playing {
  /// How often a renderer without a queue is asked where it is.
  private static let interval = Duration.seconds(1)
  /// Seconds before its end at which a track that stops was stopped by somebody.
  private static let margin = 5
  /// A renderer that has stopped this many times in a row isn't between two tracks.
  private static let patience = 3

  /// Plays tracks on a renderer that has no queue: stays until the last one plays.
  func playOneByOne(_ tracks: [Track]) async throws {
    let transport: AVTransport1.Proxy = try renderer.proxy(.avTransport)
    try await play(tracks[0], transport)
    guard tracks.count > 1 else { return }
    renderer.session.output.note(
      "\(renderer.name) has no queue: vireoctl hands over one track after another, and stays until the last one plays"
    )
    var index = 0
    var isHandedOver = await handOver(tracks[1], transport)
    var stopped = 0
    // Where the track was last, and where it ends, in seconds.
    var (reached, end): (Int, Int?) = (0, nil)
    var lastAnswer = ContinuousClock.now
    while index < tracks.count - 1 {
      try await Task.sleep(for: Self.interval)
      let position = await renderer.ask(.avTransport, "GetPositionInfo", [("InstanceID", "0")])
      let state = await renderer.ask(.avTransport, "GetTransportInfo", [("InstanceID", "0")])
      guard let state else {
        guard ContinuousClock.now - lastAnswer < PlayWatch.silence else {
          throw Failure(.unreachable, "\(renderer.name) can't be reached any more")
        }
        continue
      }
      lastAnswer = .now
      let isStopped = PlayerStatus.State(wire: state.text("CurrentTransportState")) == .stopped
      if position?.text("TrackURI") == tracks[index + 1].uri, tracks[index].uri != tracks[index + 1].uri {
        index += 1
        isHandedOver = index + 1 < tracks.count ? await handOver(tracks[index + 1], transport) : false
        (stopped, reached, end) = (0, 0, nil)
      } else if isStopped {
        stopped += 1
        if let end, reached < end - Self.margin {
          return renderer.session.output.note("\(renderer.name) was stopped; the other tracks are left out")
        }
        guard stopped >= (isHandedOver ? Self.patience : 1) else { continue }
        index += 1
        try await play(tracks[index], transport)
        isHandedOver = index + 1 < tracks.count ? await handOver(tracks[index + 1], transport) : false
        (stopped, reached, end) = (0, 0, nil)
      } else {
        stopped = 0
        reached = Self.seconds(position?.text("RelTime")) ?? reached
        end = Self.seconds(position?.text("TrackDuration")).flatMap { $0 > 0 ? $0 : nil }
      }
    }
  }

  private func play(_ track: Track, _ transport: AVTransport1.Proxy) async throws {
    try await renderer.attempt { () async throws(ActionFailure) in
      try await transport.setAVTransportURI(currentURI: track.uri, currentURIMetaData: track.metadata)
      try await transport.play(speed: ._1)
    }
  }

  private static func seconds(_ text: String?) -> Int? {
    text.flatMap { ClockTime.duration($0) }.map { Int($0.components.seconds) }
  }

  /// False if the renderer can't be told what comes next.
  private func handOver(_ track: Track, _ transport: AVTransport1.Proxy) async -> Bool {
    do {
      try await transport.setNextAVTransportURI(nextURI: track.uri, nextURIMetaData: track.metadata)
      return true
    } catch {
      return false
    }
  }
}
