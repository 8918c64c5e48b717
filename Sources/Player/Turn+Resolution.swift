extension Turn {
  mutating func resolve(_ id: ResolveID, _ resolution: Resolution) {
    if case .resolving(id, let media) = state.av.current {
      resolveCurrent(media, resolution)
    } else if case .resolving(id, let media) = state.av.next {
      resolveNext(media, resolution)
    }
  }

  private mutating func resolveCurrent(_ media: Media, _ resolution: Resolution) {
    switch list(of: media, resolution) {
    case .success(let list):
      state.av.current = .tracks(list)
      if case .resolving(let target) = state.transport { begin(target, at: state.anchor.position) }
    case .failure(let failure):
      state.av.current = .unresolved(media)
      report(.failed(media, failure))
      // Nobody has asked for it to play yet: Play tries again, and fails then if it must.
      if case .resolving = state.transport { halt(because: failure) }
    }
  }

  private mutating func resolveNext(_ media: Media, _ resolution: Resolution) {
    switch list(of: media, resolution) {
    case .success(let list): state.av.next = .tracks(list)
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
      return .success(state.av.arranged(list, using: &state.random))
    }
  }
}
