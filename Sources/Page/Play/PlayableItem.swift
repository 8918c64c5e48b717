import Player
import Services

/// One thing to play, checked.
enum PlayableItem: Sendable {
  case track(Media)
  case onServer(server: String, object: String)
  case station(UInt32, Media)
  /// A stored playlist.
  case playlist(UInt32)

  /// Whether a media server, or the disk, has to be asked for its tracks.
  var isElsewhere: Bool { media == nil }

  /// The track or station; nil for what has to be asked for.
  var media: Media? {
    switch self {
    case .track(let media), .station(_, let media): media
    case .onServer, .playlist: nil
    }
  }

  /// Checks the items of a request.
  static func items(_ items: [API.PlayItem], for state: PlayerState) throws(Problem) -> [PlayableItem] {
    var checked: [PlayableItem] = []
    for (index, item) in items.enumerated() {
      checked.append(try PlayableItem(item, at: "/items/\(index)", state))
    }
    return checked
  }

  private init(_ item: API.PlayItem, at place: String, _ state: PlayerState) throws(Problem) {
    func problem(_ type: String, _ detail: String) -> Problem {
      Problem(type, .unprocessableContent, detail, pointer: place)
    }
    let isOnServer = item.server != nil || item.object != nil
    let ways = [item.uri != nil, isOnServer, item.preset != nil, item.playlist != nil]
    guard ways.count(where: \.self) == 1 else {
      throw problem(
        "ambiguous-item",
        "An item has to have either uri, or server and object, or preset, or pin, or playlist.")
    }
    if let uri = item.uri {
      if let problem = NewMedia.refusal(of: uri, at: place + "/uri", state) { throw problem }
      self = .track(
        Media(
          entered: uri, title: item.title, artist: item.artist, album: item.album,
          duration: NewMedia.duration(item.seconds), picture: item.art))
    } else if let id = item.preset {
      guard let preset = state.radio.preset(UInt32(clamping: id)) else {
        throw Problem("not-found", .notFound, "There is no such station.", pointer: place + "/preset")
      }
      self = .station(preset.id, preset.media)
    } else if let id = item.playlist {
      self = .playlist(UInt32(clamping: id))
    } else if let server = item.server, let object = item.object {
      self = .onServer(server: server, object: object)
    } else {
      throw problem("missing-member", "An object of a media server needs both server and object.")
    }
  }
}
