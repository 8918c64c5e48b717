/// What this room sends to others (OpenHome Sender, Songcast), as its daemon tells. It isn't saved.
public struct SenderState: Sendable, Hashable {
  /// Others can listen to this room.
  public var isEnabled: Bool
  /// Another sender is in the way.
  public var isBlocked: Bool
  /// Receivers that listen; in multicast, 1 for all of them.
  public var listeners: Int
  /// Sound goes out to them, or has until a second ago.
  public var isSending: Bool
  /// What plays may be given to others.
  public var mayPassOn: Bool
  /// Where this room itself can be heard, as addresses of Songcast (`ohu`, `ohm`): it can't listen there.
  public var places: [String]

  public init(
    isEnabled: Bool = false, isBlocked: Bool = false, listeners: Int = 0, isSending: Bool = false,
    mayPassOn: Bool = true, places: [String] = []
  ) {
    self.places = places
    self.isEnabled = isEnabled
    self.isBlocked = isBlocked
    self.listeners = max(listeners, 0)
    self.isSending = isSending
    self.mayPassOn = mayPassOn
  }
}

extension PlayerState {
  /// What plays goes to who listens to this room. False while it plays what another room sends: whoever listens to this
  /// room then hears that one.
  public var isPassedOn: Bool { sender.mayPassOn && transport(of: .receiver) == .stopped }
}
