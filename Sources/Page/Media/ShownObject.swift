import ControlPoint

extension API.MediaObject {
  /// A folder or a track as it is shown.
  ///
  /// - Parameters:
  ///   - isPlayable: whether this speaker plays it.
  ///   - picture: gives a picture an address on this server.
  init(_ object: MediaObject, isPlayable: Bool, picture: (String) -> String?) {
    let seconds = object.mainResource?.duration.map { Double($0.components.seconds) }
    self.init(
      id: object.id, title: object.title.isEmpty ? object.id : object.title, kind: Self.kind(object),
      artist: object.artist, album: object.album, seconds: seconds.flatMap { $0 > 0 ? $0 : nil },
      count: object.childCount.flatMap { $0 > 0 ? $0 : nil },
      number: object.trackNumber.flatMap { $0 >= 0 ? $0 : nil },
      art: Self.picture(of: object.art).flatMap(picture), isPlayable: object.isContainer || isPlayable)
  }

  private static func kind(_ object: MediaObject) -> Kind {
    switch object.mediaClass.kind {
    case .album where object.isContainer: .album
    case .artist where object.isContainer: .artist
    case .playlist where object.isContainer: .playlist
    case _ where object.isContainer: .folder
    case .playlistItem: .playlist
    case _ where object.isPlayable: .track
    default: .other
    }
  }

  /// The picture for a list: the smallest one that is large enough, else the best.
  static func picture(of art: [MediaObject.Art]) -> String? {
    let small = art.first { art in
      guard let profile = art.profile?.uppercased() else { return false }
      return profile.hasSuffix("_TN") || profile.hasSuffix("_SM")
    }
    return (small ?? art.first)?.address
  }
}
