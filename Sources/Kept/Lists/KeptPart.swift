/// A part of a stored playlist.
public struct KeptPart: Sendable, Hashable {
  public var head: KeptHead
  public var entries: [KeptEntry]

  public init(head: KeptHead, entries: [KeptEntry]) {
    self.head = head
    self.entries = entries
  }
}

/// Why stored playlists couldn't be read or changed.
public enum KeptFailure: Error, Sendable, Hashable {
  case refused(KeptRefusal)
  /// The disk is full, the state can't be written, or another program has it: nothing was changed.
  case notWritten
  /// The state can't be read.
  case notRead
}
