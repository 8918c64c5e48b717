import Pins
import Player

/// Pins among what is to be played.
extension PlayControl {
  /// The pin, if it is all that is to be played at once, and here: then it plays as it does everywhere.
  func pin(of body: API.Play, here: Bool) -> Pin? {
    guard here, body.how ?? .now == .now || body.how == .replace, body.items.count == 1,
      body.items[0].isPinAlone
    else { return nil }
    return body.items[0].pin.flatMap { player.currentState.pins.pin(UInt32(clamping: $0)) }
  }

  func play(_ pin: Pin, _ context: APIContext) -> Reply<API.PlayResult> {
    let (player, before) = (player, player.currentState.playlist)
    return PinPlaying(player: player, section: section, undo: undo, logger: logger).play(pin, context) {
      let after = player.currentState.playlist
      let isQueue = before.token != after.token
      return API.PlayResult(
        added: isQueue ? after.tracks.count : 1, left: 0, token: isQueue ? String(after.token) : nil)
    }
  }

  /// What pins stand for, in their place.
  func withoutPins(_ items: [API.PlayItem]) throws(Problem) -> [API.PlayItem] {
    guard items.contains(where: { $0.pin != nil }) else { return items }
    var result: [API.PlayItem] = []
    for (index, item) in items.enumerated() {
      guard let id = item.pin else {
        result.append(item)
        continue
      }
      let place = "/items/\(index)"
      guard item.isPinAlone else {
        throw Problem("ambiguous-item", .unprocessableContent, "A favourite stands alone.", pointer: place)
      }
      guard let pin = player.currentState.pins.pin(UInt32(clamping: id)) else {
        throw Problem(.pinNotFound, pointer: place + "/pin")
      }
      result.append(try Self.item(pin, place))
    }
    return result
  }

  private static func item(_ pin: Pin, _ place: String) throws(Problem) -> API.PlayItem {
    switch try? PinURI(pin.uri, mode: pin.mode) {
    case .stream(let address):
      API.PlayItem(
        uri: address, title: pin.title.isEmpty ? nil : pin.title,
        art: pin.picture.isEmpty ? nil : pin.picture)
    case .preset(let id): API.PlayItem(preset: Int(id))
    case .object(let server, let object): API.PlayItem(server: server, object: object)
    case .playlist(let id) where UInt32(id) != nil: API.PlayItem(playlist: Int(id))
    case .source, .playlist, nil:
      throw Problem(
        "not-playable", .unprocessableContent, "This favourite can only be played alone, at once and here.",
        pointer: place)
    }
  }
}

extension API.PlayItem {
  fileprivate var isPinAlone: Bool {
    pin != nil && uri == nil && server == nil && object == nil && preset == nil && playlist == nil
  }
}
