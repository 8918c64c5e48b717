/// The order of the tracks of an album, for servers that don't sort.
package enum AlbumOrder {
  /// `objects` by disc and number, if `container` is an album, or a folder with the tracks of one; else unchanged.
  package static func sorted(_ objects: [MediaObject], in container: MediaObject) -> [MediaObject] {
    guard isAlbum(objects, container), objects.allSatisfy({ $0.trackNumber != nil }) else { return objects }
    let order = objects.indices.sorted { left, right in
      let (first, second) = (key(objects[left]), key(objects[right]))
      return first == second ? left < right : first < second
    }
    return order.map { objects[$0] }
  }

  private static func isAlbum(_ objects: [MediaObject], _ container: MediaObject) -> Bool {
    guard let first = objects.first, objects.allSatisfy({ !$0.isContainer }) else { return false }
    switch container.mediaClass.kind {
    case .album: return true
    case .folder, .other:
      guard let album = first.album else { return false }
      return objects.allSatisfy { $0.album == album }
    case .artist, .genre, .playlist, .track, .broadcast, .audioBook, .audio, .video, .image, .playlistItem:
      return false
    }
  }

  private static func key(_ object: MediaObject) -> (Int, Int) {
    (object.discNumber ?? 1, object.trackNumber ?? 0)
  }
}
