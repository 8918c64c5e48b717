import ControlPoint
import Text

/// Searches one media server; what it can't search for is looked for in its folders.
struct ServerSearch: Sendable {
  struct Found: Sendable {
    var objects: [MediaObject] = []
    /// What is to be said of how it was found, with the server as subject.
    var notes: [String] = []
  }

  let server: MediaServer

  init(_ server: MediaServer) { self.server = server }

  /// What the server has of `kinds`; of all kinds if there are none. Kinds that nobody has named aren't looked for in folders
  /// if the server can search for others.
  ///
  /// - Throws: only when it is interrupted.
  func result(_ words: String, _ kinds: [SearchedKind]) async throws -> Result<Found, Failure> {
    do {
      return .success(
        try await server.attempt { () async throws(ActionFailure) in try await find(words, kinds) })
    } catch let failure as Failure where failure.status != .interrupted {
      return .failure(failure)
    }
  }

  private func find(_ words: String, _ named: [SearchedKind]) async throws(ActionFailure) -> Found {
    let kinds = named.isEmpty ? [.artist, .album, .track] : named
    let capabilities = try await server.library.capabilities()
    var limits = ListingLimits()
    (limits.objects, limits.time) = (1000, .seconds(30))
    var found = Found()
    var missing: [SearchedKind] = []
    for kind in kinds {
      if let listed = try await server.library.search(words, for: kind, capabilities, limits: limits) {
        found.objects += listed.objects
      } else {
        missing.append(kind)
      }
    }
    guard !missing.isEmpty else { return found }
    let what = missing.count == kinds.count ? "" : " for " + missing.map(\.words).joined(separator: " and ")
    guard missing.count == kinds.count || !named.isEmpty else {
      found.notes.append(
        "can't search\(what); \(missing.map(\.option).joined(separator: " ")) looks through its folders")
      return found
    }
    let looked = try await server.library.find(words, of: missing, limits: Self.limits)
    found.objects += looked.objects
    found.notes.append("can't search\(what): \(Self.words(looked))")
    return found
  }

  private static func words(_ looked: MediaLibrary.Found) -> String {
    let count = counted(looked.containers, "folder was", "folders were")
    return looked.end == .complete
      ? "\(count) looked through instead" : "\(count) looked through instead, and there is more"
  }

  private static var limits: WalkLimits {
    var limits = WalkLimits()
    (limits.time, limits.containers) = (.seconds(20), 2000)
    return limits
  }
}

extension SearchedKind {
  fileprivate var words: String {
    switch self {
    case .track: "tracks"
    case .album: "albums"
    case .artist: "artists"
    }
  }

  fileprivate var option: String {
    switch self {
    case .track: "--track"
    case .album: "--album"
    case .artist: "--artist"
    }
  }
}
