import JSON
import Party
import Player
import Services
import Text

extension API.NextTitles {
  /// The most titles that are told, and that are taken of what another room tells.
  static let most = 10
  /// The longest answer of another room that is read, in bytes.
  static let longestAnswer = 96 * 1024
  /// Unicode scalars of a text of another room.
  private static let longestText = 200

  /// The next titles of this speaker's queue, or of what else plays.
  ///
  /// - Parameter party: the code of the party here; nil if there is none.
  init(_ state: PlayerState, party: String? = nil) {
    let following =
      state.activeSource == .playlist
      ? state.playlist.upcoming(most: Self.most) : [state.nextTrack].compactMap(\.self)
    self.init(
      titles: following.map { media in
        let shown = ShownTrack(media)
        return API.NextTitle(title: shown.title, artist: shown.artist)
      }, party: party)
  }

  /// What another room tells, read leniently: what isn't known is left out. Nil if it isn't that at all.
  init?(reading body: [UInt8]) {
    let limits = JSONLimits(bytes: Self.longestAnswer, depth: 4, values: 400)
    guard let json = try? JSONValue(reading: body, limits: limits), case .array(let titles) = json["titles"]
    else { return nil }
    self.init(
      titles: titles.lazy.compactMap { title in
        guard let name = Self.text(title["title"]) else { return nil }
        return API.NextTitle(title: name, artist: Self.text(title["artist"]))
      }.prefix(Self.most).map(\.self),
      party: Self.text(json["party"]).flatMap { PartyCode.isOne($0) ? $0 : nil })
  }

  private static func text(_ value: JSONValue?) -> String? {
    guard case .string(let text) = value else { return nil }
    let line = String(
      String.UnicodeScalarView(
        text.unicodeScalars.lazy.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
          .prefix(longestText)))
    return line.isEmpty ? nil : line.streamSafe
  }
}
