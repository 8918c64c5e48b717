/// A command to the receiver source (OpenHome Receiver:1).
///
/// "Active" means that the receiver is the active source and the player isn't in standby. Ignored commands succeed without
/// an effect.
public enum ReceiverCommand: Sendable, Hashable {
  /// Chooses a sender by its address (`ohz`, `ohm` or `ohu`), which the caller has checked, and makes the receiver active.
  /// It goes on playing if it played, and else waits for Play. With the current address only the metadata is replaced. An
  /// empty address clears the sender and stops.
  case setSender(Media)
  /// Makes the receiver active and listens to the sender. Without a sender it is only made active.
  case play
  /// Stops listening. Ignored when not active.
  case stop
  /// Listens again if it did when the state was saved. The daemon asks for that once, after its start.
  case resumeAfterStart
}
