import Kept
import Player
import Text
import UPnP

/// What controllers do with stored playlists, whose ids are `SQ:n`.
struct ZoneSavedQueues: Sendable {
  let parts: ZonePlayback
  let queue: ZoneQueue

  private var lists: any SavedQueues { parts.lists }
  private var updateID: UInt32 { parts.updates().lists }

  /// How often another name is tried when there is a list of the same name already.
  private static let mostNames = 20
  /// The most bytes of tracks that are in memory at once where only their ids are wanted.
  private static let pieceBytes = 1 << 20

  /// Stores the queue; `object` names the list to overwrite, and is empty for a new one.
  nonisolated(nonsending) func saveQueue(title: String, object: String) async throws(UPnPError) -> String {
    let tracks = parts.player.currentState.playlist.tracks
    let media = tracks.ids.compactMap { tracks[$0] }
    let kept = await lists.kept(media)
    if case .playlist(let id)? = ZoneObject(object) {
      _ = try await change(.replace(id, kept))
      return "SQ:\(id)"
    }
    return "SQ:\(try await create(title, kept).id)"
  }

  nonisolated(nonsending) func create(
    title: String, uri: String, metadata: String
  ) async throws(UPnPError) -> (added: UInt32, length: UInt32, object: String, updateID: UInt32) {
    let media = uri.trimmingASCIISpace.isEmpty ? [] : try await media(uri, metadata)
    let head = try await create(title, await lists.kept(media))
    return (UInt32(clamping: head.count), UInt32(clamping: head.count), "SQ:\(head.id)", updateID)
  }

  nonisolated(nonsending) func add(
    to object: String, uri: String, metadata: String, at index: UInt32
  ) async throws(UPnPError) -> (added: UInt32, length: UInt32, updateID: UInt32) {
    let before = try head(object)
    let media = try await media(uri, metadata)
    var after: UInt32?
    if Int(index) < before.count {
      after = index == 0 ? 0 : try await ids(of: before, from: Int(index) - 1, count: 1).first
    }
    let head = try await change(.add(before.id, await lists.kept(media), after: after)) ?? before
    return (UInt32(clamping: head.count - before.count), UInt32(clamping: head.count), updateID)
  }

  nonisolated(nonsending) func reorder(
    _ object: String, tracks: String, positions: String
  ) async throws(UPnPError) -> (difference: Int32, length: UInt32, updateID: UInt32) {
    let before = try head(object)
    let ids = try await ids(of: before)
    guard let order = ZoneOrder.reordered(count: ids.count, tracks: tracks, positions: positions) else {
      throw .invalidArgs("the lists of places")
    }
    let new = order.map { ids[$0] }
    let kept = Set(new)
    let removed = ids.filter { !kept.contains($0) }
    if !removed.isEmpty { _ = try await change(.remove(before.id, removed)) }
    if new != ids.filter(kept.contains) { _ = try await change(.move(before.id, new, after: 0)) }
    return (-Int32(clamping: removed.count), UInt32(clamping: new.count), updateID)
  }

  nonisolated(nonsending) func delete(_ id: UInt32) async throws(UPnPError) {
    _ = try await change(.delete(id))
  }

  nonisolated(nonsending) func rename(_ id: UInt32, to name: String) async throws(UPnPError) {
    _ = try await change(.rename(id, name))
  }

  // MARK: Parts

  private func head(_ object: String) throws(UPnPError) -> KeptHead {
    guard case .playlist(let id)? = ZoneObject(object), let head = lists.heads.first(where: { $0.id == id })
    else { throw .zoneNoObject }
    return head
  }

  /// The ids of all tracks, which are read in pieces: a list may have 16 MB.
  private nonisolated(nonsending) func ids(of head: KeptHead) async throws(UPnPError) -> [UInt32] {
    var ids: [UInt32] = []
    while ids.count < head.count {
      let piece = try await self.ids(of: head, from: ids.count, count: head.count - ids.count)
      guard !piece.isEmpty else { break }
      ids += piece
    }
    return ids
  }

  private nonisolated(nonsending) func ids(
    of head: KeptHead, from start: Int, count: Int
  ) async throws(UPnPError) -> [UInt32] {
    do throws(SavedQueueError) {
      return try await lists.entries(of: head.id, from: start, count: count, bytes: Self.pieceBytes).map(
        \.id)
    } catch {
      throw UPnPError(error)
    }
  }

  private nonisolated(nonsending) func media(
    _ uri: String, _ metadata: String
  ) async throws(UPnPError) -> [Media] {
    switch ZoneURI(uri) {
    case .track(let address): return [Media(sent: address, metadata: metadata)]
    case .playlist(let id): return try await queue.tracks(of: id)
    case .library: throw .zoneNotFound
    case .station, .queue, .group, .unsupported: throw .zoneMediaNotSupported
    }
  }

  private nonisolated(nonsending) func change(_ command: KeptCommand) async throws(UPnPError) -> KeptHead? {
    do throws(SavedQueueError) {
      return try await lists.change(command)
    } catch {
      throw UPnPError(error)
    }
  }

  /// A new list. Controllers take names for free that aren't.
  private nonisolated(nonsending) func create(
    _ title: String, _ tracks: [KeptTrack]
  ) async throws(UPnPError) -> KeptHead {
    let title = title.trimmingASCIISpace
    for number in 1...Self.mostNames {
      do throws(SavedQueueError) {
        let name = number == 1 ? title : "\(title) (\(number))"
        if let head = try await lists.change(.create(name, tracks)) { return head }
      } catch {
        guard error == .nameTaken else { throw UPnPError(error) }
      }
    }
    throw .invalidArgs("the title")
  }
}
