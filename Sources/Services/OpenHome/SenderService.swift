import DIDLLite
import Player
import Rooms
import UPnP

/// Sender:2: what this room sends to others (Songcast).
public struct SenderService: Sender2.Provider {
  let player: PlayerCore
  let settings: OpenHomeSettings
  let version: Int
  private let metadata = Memo<SenderItem, String>()

  public init(player: PlayerCore, settings: OpenHomeSettings) {
    self.player = player
    self.settings = settings
    version = settings.announced(2)
  }

  var view: SenderView {
    let item = SenderItem(settings)
    return SenderView(state: player.currentState, metadata: metadata.value(for: item, make: \.document))
  }

  /// What the other zones of a household are told of this sender.
  public static func zoneSender(_ settings: OpenHomeSettings) -> @Sendable () -> ZoneSender {
    let senders = Memo<SenderItem, ZoneSender>()
    return { senders.value(for: SenderItem(settings)) { ZoneSender($0.document) } }
  }
}

/// The view of Sender:2.
struct SenderView: Sender2.View {
  let state: PlayerState
  /// Also while the sender is disabled.
  let metadata: String

  var presentationUrl: String { "" }
  var attributes: String { "" }
  var audio: Bool { state.sender.isSending }
  var enabled: Bool { status == .enabled }

  var status: Sender2.Status {
    if !state.sender.isEnabled { return .disabled }
    return state.sender.isBlocked ? .blocked : .enabled
  }

  var status2: Sender2.Status2 {
    switch status {
    case .disabled: .disabled
    case .blocked: .blocked
    case .enabled where !state.isPassedOn: .inactive
    case .enabled: state.sender.listeners > 0 && state.sender.isSending ? .sending : .ready
    }
  }
}

/// What control points hand to a receiver so that it listens to this room. All of the document matters to them.
struct SenderItem: Hashable {
  /// Other senders keep to this.
  private static let mostBytes = 1000

  var room: String
  var sender: OpenHomeConfiguration.Sender
  /// Empty for none.
  var icon: String

  init(_ settings: OpenHomeSettings) {
    let configuration = settings.configuration
    self.init(
      room: configuration.room, sender: configuration.sender, icon: settings.url(configuration.image))
  }

  init(room: String, sender: OpenHomeConfiguration.Sender, icon: String) {
    (self.room, self.sender, self.icon) = (room, sender, icon)
  }

  /// DIDL-Lite with one item. What makes it too long is left out: the picture, then the end of the room's name.
  var document: String {
    var item = self
    if item.text.utf8.count > Self.mostBytes { item.icon = "" }
    while item.text.utf8.count > Self.mostBytes, !item.room.isEmpty { item.room.removeLast() }
    return item.text
  }

  private var text: String {
    DIDLWriter.document(
      title: room, artist: nil, album: nil, uri: SongcastURI.zone(SongcastURI.zoneName(sender.zone)).text,
      upnpClass: "object.item.audioItem", albumArtURI: icon.isEmpty ? nil : icon,
      protocolInfo: sender.isMulticast ? "ohz:*:*:m" : "ohz:*:*:u")
  }
}
