extension Transition {
  mutating func resolve(_ id: ResolveID, _ resolution: Resolution) {
    for source in SourceKind.allCases {
      guard case .reading(id, let media) = state.ask(source, { $0.cue }) else { continue }
      return resolve(media, resolution, of: source)
    }
    if case .resolving(id, let media) = state.av.next { resolveNext(media, resolution) }
  }

  /// Gives the source its tracks, and continues its transport if that was waiting for this.
  private mutating func resolve(_ media: Media, _ resolution: Resolution, of source: SourceKind) {
    let list = list(of: media, resolution)
    state.change(source, .open((try? list.get()).map { .tracks($0) } ?? .unresolved(media)))
    let target: Transport.Target? =
      if case .resolving(let target) = state.transport(of: source) { target } else { nil }
    switch list {
    case .success: if let target { begin(target, at: state.anchor.position) }
    case .failure(let failure) where target != nil && state.playsStations: trackFailed(failure)
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
