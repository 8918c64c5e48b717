import ControlPoint

/// What is known of the objects of a media server that were listed: where they are, so that their path can be told, and a track
/// be found again on servers that can't tell of a single object.
struct FolderMemory: Sendable {
  struct Known: Sendable, Hashable {
    var title: String
    var parent: String
    var isContainer: Bool
    var mediaClass: MediaClass
  }

  static let maximum = 4000
  /// Folders above one that are told.
  static let maximumDepth = 16

  private var known: [String: Known] = [:]
  /// The first object of folders.
  private var beginnings: [String: String] = [:]

  subscript(id: String) -> Known? { known[id] }

  var count: Int { known.count }

  /// Learns what is in a folder.
  ///
  /// - Parameter start: the place of the first one.
  mutating func learn(_ objects: [MediaObject], in folder: String, start: Int) {
    if start == 0 {
      if beginnings.count >= 256 { beginnings = [:] }
      beginnings[folder] = objects.first?.id
    }
    for object in objects { learn(object, in: folder) }
  }

  mutating func learn(_ object: MediaObject, in folder: String) {
    guard !object.id.isEmpty, object.id != MediaLibrary.root else { return }
    if known.count >= Self.maximum, known[object.id] == nil { known = [:] }
    known[object.id] = Known(
      title: object.title, parent: folder, isContainer: object.isContainer, mediaClass: object.mediaClass)
  }

  /// True for a later page that is the first one again: some servers don't look at where to begin.
  func isRepeated(_ objects: [MediaObject], in folder: String, start: Int) -> Bool {
    start > 0 && objects.first?.id != nil && objects.first?.id == beginnings[folder]
  }

  /// The folders above `folder`, the outermost first; nil if one isn't known.
  func path(above folder: String) -> [(id: String, title: String)]? {
    guard folder != MediaLibrary.root else { return [] }
    var path: [(id: String, title: String)] = []
    guard var parent = known[folder]?.parent else { return nil }
    while parent != MediaLibrary.root, parent != "-1" {
      guard let entry = known[parent], path.count < Self.maximumDepth,
        !path.contains(where: { $0.id == parent })
      else { return nil }
      path.append((parent, entry.title))
      parent = entry.parent
    }
    return path.reversed()
  }
}
