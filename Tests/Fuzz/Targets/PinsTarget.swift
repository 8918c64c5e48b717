import Pins
import Player
import Services

@testable import vireoctl

extension FuzzTarget {
  /// Addresses of pins, and the lists that control points and other devices send of them.
  static let pins = FuzzTarget(
    name: "pins", maximumLength: 4096,
    words: [
      "url://stream?path=", "radio://preset?id=", "transport://source?id=", "server://object?udn=", "&id=",
      "playlist://stored?id=", "&version=1", "version=", "&", "=", "%", "%25", "%C3%A9", "%ff", "uuid%3A",
      "[", "]", "{", "}", ",", "\"id\":", "\"mode\":\"url\"", "\"uri\":", "\"title\":", "\"shuffle\":true",
      "0",
      "4294967295", "4294967296", "1e9", "-1", "\\u0000", "\\ud800", "\u{301}",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    for mode in PinURI.modes {
      guard let uri = try? PinURI(text, mode: mode) else { continue }
      try promise(uri.mode == mode, "it is of another mode")
      // Written anew, it may get too long; otherwise it is the same.
      if uri.text.utf8.count <= 512 {
        try promise((try? PinURI(uri.text, mode: mode)) == uri, "it is read as something else")
      }
      let pin = try Pin(mode: mode, type: "", uri: text, title: text, detail: text, picture: text)
      _ = pin.shownAddress
      _ = PinFinding(uri, of: pin)
      try kept(pin)
    }
    if let ids = PinList.ids(in: text) {
      try promise(ids.count <= PinList.most && PinList.ids(in: PinList.text(ids: ids)) == ids, "other ids")
    }
    if let modes = PinList.modes(in: text) { try promise(modes.count <= PinList.most, "too many modes") }
    if let slot = PinList.slot(in: text) { try kept(slot.pin) }
    if let items = PinList.items(in: text) {
      try promise(items.count <= PinList.most, "too many pins")
      _ = PinSlots(ids: items.map(\.id), items).report.lines(.plain)
    }
  }

  /// What is saved of a pin is read back, and is within its lengths.
  private static func kept(_ pin: Pin) throws {
    try promise(
      pin.uri.utf8.count <= 512 && pin.title.utf8.count <= 128 && pin.detail.utf8.count <= 512
        && pin.picture.utf8.count <= 512, "it is too long")
    let text = PinList.text(PinBank.Slot(id: 1, pin: pin))
    // JSON breaks up marks that are heaped on one letter; what is read once stays as it is.
    guard let once = PinList.slot(in: text) else { return }
    try promise(PinList.slot(in: PinList.text(once)) == once, "it is read back as something else")
  }
}
