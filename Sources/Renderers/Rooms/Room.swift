import DIDLLite
import Network

/// A room that can take part in a group: an OpenHome device that sends, listens, or both (Songcast). As it was when it was asked.
package struct Room: Sendable, Hashable {
  /// What a receiver does (Receiver:1, TransportState).
  package enum ReceiverState: String, Sendable, Hashable {
    case stopped = "Stopped"
    /// It has joined, and nothing comes.
    case waiting = "Waiting"
    case buffering = "Buffering"
    case playing = "Playing"

    package init(wire: String) { self = ReceiverState(rawValue: wire) ?? .stopped }
  }

  /// Whether a sender sends (Sender:2, Status2).
  package enum SenderStatus: String, Sendable, Hashable {
    /// It is switched off.
    case disabled = "Disabled"
    /// Somebody else sends in its place.
    case blocked = "Blocked"
    /// What the room plays may not be passed on; also while the room itself listens.
    case inactive = "Inactive"
    /// Nobody listens, or nothing plays.
    case ready = "Ready"
    case sending = "Sending"

    /// Reads Status2; nil for another word.
    package init?(wire: String) { self.init(rawValue: wire) }

    /// Reads what a Sender:1 has, which has no Status2.
    ///
    /// - Parameter hasAudio: its Audio.
    package init?(status: String, hasAudio: Bool) {
      switch status {
      case "Enabled": self = hasAudio ? .sending : .ready
      case "Disabled", "Blocked": self.init(rawValue: status)
      default: return nil
      }
    }
  }

  /// Of the OpenHome device, without `uuid:`.
  package var udn: String
  /// As people call it: the room that the Product names.
  package var name: String
  /// The host of its description.
  package var address: IPAddress
  package var model = ""
  /// True if it has a Sender.
  package var canSend = false
  /// True if it has a Receiver.
  package var canReceive = false
  /// What others are to listen to. Nil if it doesn't say.
  package var senderURI: String?
  /// The DIDL-Lite that names it, exactly as the room has it: a receiver is given that text. Empty if it doesn't say.
  package var senderMetadata = ""
  /// Nil if it doesn't say.
  package var senderStatus: SenderStatus?
  /// What its receiver is set to, whether it listens or not; empty if to nothing.
  package var receiverURI = ""
  package var receiverMetadata = ""
  package var receiverState = ReceiverState.stopped
  /// True if the receiver is the source that is chosen.
  package var isReceiverActive = false
  /// What it does, by whatever source.
  package var state = PlayerStatus.State.stopped
  /// In its own steps, 0 to ``volumeLimit``; nil if it has none.
  package var volume: Int?
  /// The largest that can be set; nil if it doesn't say.
  package var volumeLimit: Int?
  package var isMuted: Bool?
  package var isStandby: Bool?
  package var title: String?
  package var artist: String?

  package init(udn: String, name: String, address: IPAddress) {
    (self.udn, self.name, self.address) = (udn, name, address)
  }

  /// True if it plays what another one sends, or waits for that.
  package var isListening: Bool { isReceiverActive && receiverState != .stopped && !receiverURI.isEmpty }

  /// The name of whom its receiver is set to, as that one had it then.
  package var receiverName: String? {
    DIDL.items(receiverMetadata).first?.title.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// What a room is given to listen to another one.
package struct RoomSender: Sendable, Hashable {
  /// The longest URI and the longest metadata that are passed on, in bytes.
  static let longestURI = 600
  static let longestMetadata = 16_384

  /// `ohz`, `ohm` or `ohu`
  package var uri: String
  /// DIDL-Lite, as the sender has it.
  package var metadata: String

  package init(uri: String, metadata: String) {
    self.uri = uri
    self.metadata = metadata
  }

  /// Takes it from the Metadata of a Sender: the first address of its one item. Nil if there is none.
  package init?(metadata: String) {
    guard metadata.utf8.count <= Self.longestMetadata,
      let uri = DIDL.items(metadata).first?.resources.first?.uri, uri.utf8.count <= Self.longestURI,
      ["ohz://", "ohm://", "ohu://"].contains(where: uri.lowercased().hasPrefix),
      uri.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { return nil }
    self.init(uri: uri, metadata: metadata)
  }
}
