import CGStreamer
import CSourceGuard
import Player

/// An address that an element tried to open and that was refused.
enum RefusedAddress {
  /// The refused address that `message` reports; nil for any other message.
  static func address(in message: UnsafeMutablePointer<GstMessage>) -> String? {
    guard let address = csourceguard_refused_address(message) else { return nil }
    defer { g_free(address) }
    return String(cString: address)
  }
}

extension PlaybackFailure {
  /// The media at `uri` (shown as it is) leads to `address`, which must not be opened.
  static func leads(_ uri: String, to address: String) -> PlaybackFailure {
    PlaybackFailure(
      .refusedURI,
      "\(uri) leads to \(redacted(uri: address)), which is refused: what is played may open http and https only."
    )
  }

  /// The file at `uri` (shown as it is) is a list of addresses.
  static func isList(_ uri: String) -> PlaybackFailure {
    PlaybackFailure(
      .refusedURI,
      "\(uri) is a list of addresses (HLS or DASH): such lists are played from a server, not from a file."
    )
  }
}
