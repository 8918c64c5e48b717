import Kept
import Page
import Player
import Synchronization

/// Keeps playlists for the time of a test.
final class MemoryPlaylists: PlaylistKeeper {
  private struct State: Sendable {
    var shelf: KeptShelf
    var lists: [UInt32: KeptList] = [:]
    var tracks: [UInt32: KeptTrack] = [:]
    var failure: KeptFailure?
    var time: Int64 = 1_800_000_000
  }

  private let state: Mutex<State>
  private let gate = Mutex<[CheckedContinuation<Void, Never>]?>(nil)

  /// Edits wait from now on.
  func hold() { gate.withLock { $0 = [] } }

  /// How many edits wait.
  var waiting: Int { gate.withLock { $0?.count ?? 0 } }

  func release() {
    let waiting = gate.withLock { gate in
      defer { gate = nil }
      return gate ?? []
    }
    for continuation in waiting { continuation.resume() }
  }

  init(_ limits: KeptLimits = KeptLimits()) { state = Mutex(State(shelf: KeptShelf(limits: limits))) }

  /// All that is asked for fails so from now on.
  func fail(_ failure: KeptFailure?) { state.withLock { $0.failure = failure } }

  func kept(_ id: UInt32) -> [KeptTrack] {
    state.withLock { state in (state.lists[id]?.ids ?? []).compactMap { state.tracks[$0] } }
  }

  func heads() -> [KeptHead] { state.withLock { $0.shelf.heads } }

  func perform(_ edit: KeptEdit) async -> Result<KeptOutcome, KeptFailure> {
    await withCheckedContinuation { continuation in
      let isHeld = gate.withLock { gate in
        gate?.append(continuation)
        return gate != nil
      }
      if !isHeld { continuation.resume() }
    }
    return state.withLock { state in
      if let failure = state.failure { return .failure(failure) }
      state.time += 1
      do throws(KeptRefusal) {
        let change = try state.shelf.change(
          edit, of: edit.command.list.flatMap { state.lists[$0] }, at: state.time)
        for id in change.deleted { state.tracks[id] = nil }
        for entry in change.written { state.tracks[entry.id] = entry.track }
        state.lists[change.id] = change.list
        state.shelf = state.shelf.taking(change)
        return .success(
          KeptOutcome(heads: state.shelf.heads, id: change.id, added: change.added, left: change.left))
      } catch {
        return .failure(.refused(error))
      }
    }
  }

  func tracks(
    of id: UInt32, from start: Int, count: Int, bytes: Int
  ) async -> Result<KeptPart, KeptFailure> {
    state.withLock { state in
      if let failure = state.failure { return .failure(failure) }
      guard let list = state.lists[id] else { return .failure(.refused(.noList)) }
      let entries = list.ids.dropFirst(start).prefix(count).compactMap { id in
        state.tracks[id].map { KeptEntry(id: id, track: $0) }
      }
      return .success(KeptPart(head: list.head, entries: Array(entries)))
    }
  }

  func trim() {}
}

/// Knows one server, which has moved when a test says so.
final class ScriptedFinder: TrackFinder {
  private let place = Mutex("http://server/")
  private let asked = Mutex(0)

  /// Where its tracks are from now on.
  func move(to new: String) { place.withLock { $0 = new } }

  /// How often it was asked where tracks are.
  var questions: Int { asked.withLock { $0 } }

  func servers(of addresses: [String]) async -> [String?] {
    addresses.map { $0.hasPrefix("http://server/") ? "shelf" : nil }
  }

  func found(_ entries: [KeptEntry]) async -> [KeptEntry] {
    asked.withLock { $0 += 1 }
    let place = place.withLock { $0 }
    return entries.compactMap { entry in
      guard entry.track.server == "shelf", !entry.track.media.uri.hasPrefix(place) else { return nil }
      var track = entry.track
      track.media.uri = place + track.media.uri.split(separator: "/").dropFirst(2).joined(separator: "/")
      return KeptEntry(id: entry.id, track: track)
    }
  }
}

/// Sections that may have changed, in order.
final class Changes: Sendable {
  private let sections = Mutex<[PageSections.Name]>([])

  func add(_ section: PageSections.Name) { sections.withLock { $0.append(section) } }
  var all: [PageSections.Name] { sections.withLock { $0 } }
}
