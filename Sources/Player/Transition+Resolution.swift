extension Transition {
  mutating func resolve(_ id: ResolveID, _ resolution: Resolution) {
    if case .resolving(id, let media) = state.av.current {
      resolveAV(media, resolution)
    } else if case .resolving(id, let media) = state.av.next {
      resolveNext(media, resolution)
    } else if case .resolving(id, let media) = state.radio.content {
      resolveStation(media, resolution)
    }
  }

  private mutating func resolveAV(_ media: Media, _ resolution: Resolution) {
    let list = list(of: media, resolution).map { state.av.arranged($0, using: &state.random) }
    state.av.current = (try? list.get()).map { .tracks($0) } ?? .unresolved(media)
    resolved(media, list, of: .upnpAV)
  }

  private mutating func resolveStation(_ media: Media, _ resolution: Resolution) {
    let list = list(of: media, resolution)
    state.radio.content = (try? list.get()).map { .tracks($0) } ?? .unresolved(media)
    resolved(media, list, of: .radio)
  }

  /// Continues the source's transport if it was waiting for this.
  private mutating func resolved(
    _ media: Media, _ list: Result<TrackList, PlaybackFailure>, of source: SourceKind
  ) {
    let target: Transport.Target? =
      if case .resolving(let target) = state.transport(of: source) { target } else { nil }
    switch list {
    case .success: if let target { begin(target, at: state.anchor.position) }
    case .failure(let failure) where source == .radio && target != nil: stationFailed(failure)
    case .failure(let failure):
      report(.failed(media, failure))
      // Not playing yet: Play tries again, and may fail then.
      if target != nil { halt(because: failure) }
    }
  }

  private mutating func resolveNext(_ media: Media, _ resolution: Resolution) {
    switch list(of: media, resolution) {
    case .success(let list): state.av.next = .tracks(state.av.arranged(list, using: &state.random))
    case .failure(let failure):
      report(.skipped(media, failure))
      state.av.next = .empty
      state.av.lookaheadFailure = failure
    }
  }

  private mutating func list(of media: Media, _ resolution: Resolution) -> Result<TrackList, PlaybackFailure>
  {
    switch resolution {
    case .failed(let failure): return .failure(failure)
    case .notAContainer: return .success(TrackList(track: media))
    case .entries(let entries):
      let policy = state.configuration.uriPolicy
      let taken = Array(
        entries.lazy.filter { policy.allows($0.uri) }.prefix(state.configuration.maximumEntries))
      guard let list = TrackList(container: media, entries: taken) else {
        let message =
          entries.isEmpty
          ? "The list of tracks is empty."
          : "None of the \(entries.count) entries of the list has a URI that this player may follow."
        return .failure(PlaybackFailure(entries.isEmpty ? .unsupportedFormat : .refusedURI, message))
      }
      report(.opened(media, tracks: taken.count, dropped: entries.count - taken.count))
      return .success(list)
    }
  }
}
