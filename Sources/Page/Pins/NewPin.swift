import Pins
import Player
import Services

/// Makes a pin of what a request says.
struct NewPin {
  let body: API.NewPin
  let state: PlayerState
  let pictures: any PictureAddresses

  func pin() throws(Problem) -> Pin {
    let isOnServer = body.server != nil || body.object != nil
    let named = [
      body.uri != nil, isOnServer, body.preset != nil, body.source != nil, body.playlist != nil,
      body.playing != nil,
    ]
    guard named.count(where: \.self) == 1 else {
      throw problem(
        "ambiguous-item",
        "A favourite has to have one of: uri, server and object, preset, source, playlist, playing.")
    }
    if let uri = body.uri {
      if let problem = NewMedia.refusal(of: uri, at: "/uri", state) { throw problem }
      let shown = ShownTrack(Media(uri: uri))
      return try pin(.stream(uri), title: shown.title)
    }
    if let id = body.preset {
      guard let preset = state.radio.preset(UInt32(clamping: id)) else {
        throw Problem("not-found", .notFound, "There is no such station.", pointer: "/preset")
      }
      // By its address, since ids of presets change with the list.
      return try pin(preset.media)
    }
    if body.playing != nil {
      guard body.playing == true, let media = state.currentTrack,
        state.configuration.uriPolicy.allows(media.uri)
      else {
        throw .conflict("Nothing plays that could be kept as a favourite.")
      }
      return try pin(media)
    }
    if let source = body.source { return try pin(PinURI(source.kind), title: source.rawValue) }
    if let playlist = body.playlist { return try pin(.playlist(String(playlist)), title: nil) }
    guard let server = body.server, let object = body.object else {
      throw problem("missing-member", "An object of a media server needs both server and object.")
    }
    return try pin(.object(server: server, id: object), title: nil)
  }

  private func pin(_ media: Media) throws(Problem) -> Pin {
    let shown = ShownTrack(media)
    return try pin(.stream(media.uri), title: shown.title, picture: shown.picture)
  }

  /// - Parameter title: the one without a word of the request; nil if it has to have one.
  private func pin(_ uri: PinURI, title: String?, picture: String? = nil) throws(Problem) -> Pin {
    guard let title = body.title ?? title, !title.isEmpty else {
      throw Problem(
        "missing-member", .unprocessableContent, "This favourite needs a title.", pointer: "/title")
    }
    do throws(PinError) {
      return try Pin(
        uri, title: title, detail: body.description ?? "",
        picture: body.art.map(self.picture) ?? picture ?? "", isShuffled: body.shuffle ?? false)
    } catch {
      throw problem("too-long", "Its address is too long for a favourite.")
    }
  }

  /// The address of a picture; one on this server stands for the one that was shown.
  private func picture(_ art: String) -> String {
    if let origin = pictures.origin(of: art) { return origin }
    return PictureURL(art) != nil ? art : ""
  }

  private func problem(_ type: String, _ detail: String) -> Problem {
    Problem(type, .unprocessableContent, detail)
  }
}

extension API.NewPin.Source {
  fileprivate var kind: SourceKind {
    switch self {
    case .playlist: .playlist
    case .radio: .radio
    case .receiver: .receiver
    case .upnpAv: .upnpAV
    }
  }
}
