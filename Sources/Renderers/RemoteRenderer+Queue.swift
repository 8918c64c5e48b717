import ControlPoint
import Proxies

/// Puts tracks on a renderer.
extension RemoteRenderer {
  /// What became of tracks that a renderer was to get.
  package enum Outcome: Sendable, Hashable {
    /// These are in its queue.
    ///
    /// - Parameters:
    ///   - room: how many the queue had room for, if those were fewer.
    ///   - failure: why no more were taken, if one was refused.
    case queued([RendererTrack], room: Int?, failure: RendererFailure?)
    /// It plays the one track after the present one.
    case handedOver
    /// It has no queue: the tracks are to be handed over one by one (``play(_:)``, ``handOver(_:given:)``). Nothing is done yet.
    case oneByOne
  }

  /// What it plays, as ProtocolInfo; empty if it doesn't say.
  package func sink() async -> String {
    if let text = await ask(.connectionManager, "GetProtocolInfo")?["Sink"], !text.isEmpty {
      return text
    }
    return await ask(.playlist, "ProtocolInfo")?["Value"] ?? ""
  }

  /// The ids of the queue, and that of the current track.
  package func queueIDs() async throws(RendererFailure) -> (ids: [UInt32], current: UInt32?) {
    let playlist: Playlist1.Proxy = try proxy(.playlist)
    return try await attempt { () async throws(ActionFailure) in
      (IdList.ids(try await playlist.idArray().array), try? await playlist.id())
    }
  }

  /// Puts tracks into the queue, or hands over the only one.
  ///
  /// - Parameters:
  ///   - end: no track but the first is given after that.
  ///   - given: is told what the renderer has got: the address, and the id in the queue.
  package func put(
    _ tracks: [RendererTrack], _ place: PlayPlace, until end: ContinuousClock.Instant? = nil,
    given: @Sendable (String, UInt32?) -> Void = { _, _ in }
  ) async throws(RendererFailure) -> Outcome {
    let queue = services.contains(.playlist) ? try await queue(for: place) : nil
    switch PlayPlan.plan(place, count: tracks.count, services: services, queue: queue) {
    case .queue(let steps):
      let room = try await room(beside: place == .replace ? 0 : queue?.ids.count ?? 0)
      let fitting = Array(tracks.prefix(room ?? tracks.count))
      let (taken, failure) = try await take(steps, fitting, until: end, given)
      return .queued(taken, room: fitting.count < tracks.count ? room : nil, failure: failure)
    case .oneByOne: return .oneByOne
    case .handOver:
      let transport: AVTransport1.Proxy = try proxy(.avTransport)
      try await attempt { () async throws(ActionFailure) in
        try await transport.setNextAVTransportURI(nextURI: tracks[0].uri, nextURIMetaData: tracks[0].metadata)
      }
      given(tracks[0].uri, nil)
      return .handedOver
    case .impossible(let reason): throw .impossible(reason)
    }
  }

  /// The queue to put tracks into.
  private func queue(
    for place: PlayPlace
  ) async throws(RendererFailure) -> (ids: [UInt32], current: UInt32?) {
    do throws(RendererFailure) {
      return try await queueIDs()
    } catch {
      guard case .call(.fault) = error, place == .now || place == .replace else { throw error }
      // upmpdcli tells of its queue only while that is the source.
      try await choose("Playlist")
      return try await queueIDs()
    }
  }

  /// How many tracks the queue has room for; nil if the renderer doesn't say.
  private func room(beside count: Int) async throws(RendererFailure) -> Int? {
    let answer = await ask(.playlist, "TracksMax")
    guard let maximum = (answer?.text("Value")).flatMap({ Int($0) }), maximum > 0 else { return nil }
    guard maximum > count else { throw .full(count) }
    return maximum - count
  }

  /// Returns the tracks that were put into the queue. If one is refused, those before it are played nevertheless.
  private func take(
    _ steps: [PlayPlan.QueueStep], _ tracks: [RendererTrack], until end: ContinuousClock.Instant?,
    _ given: (String, UInt32?) -> Void
  ) async throws(RendererFailure) -> ([RendererTrack], RendererFailure?) {
    let playlist: Playlist1.Proxy = try proxy(.playlist)
    var ids: [UInt32] = []
    var failure: RendererFailure?
    for step in steps {
      switch step {
      case .clear:
        try await attempt { () async throws(ActionFailure) in try await playlist.deleteAll() }
      case .insertFirst(let place):
        guard let first = tracks.first else { return ([], nil) }
        ids.append(try await insert(first, after: place, playlist, given))
      case .choose: try await choose("Playlist")
      case .playFirst:
        let id = ids[0]
        try await attempt { () async throws(ActionFailure) in try await playlist.seekId(value: id) }
      case .insertRest:
        do throws(RendererFailure) {
          for (place, track) in zip(1..., tracks.dropFirst()) {
            if let end, .now >= end { break }
            ids.append(try await insert(track, after: ids[place - 1], playlist, given))
          }
        } catch {
          guard error != .call(.cancelled) else { throw error }
          failure = error
        }
      }
    }
    return (Array(tracks.prefix(ids.count)), failure)
  }

  private func insert(
    _ track: RendererTrack, after place: UInt32, _ playlist: Playlist1.Proxy,
    _ given: (String, UInt32?) -> Void
  ) async throws(RendererFailure) -> UInt32 {
    let id = try await attempt { () async throws(ActionFailure) in
      try await playlist.insert(afterId: place, uri: track.uri, metadata: track.metadata)
    }
    given(track.uri, id)
    return id
  }
}
