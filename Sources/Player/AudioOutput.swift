/// The interface between the player and the sound output.
///
/// Requests are data, submitted in order without blocking the caller. The output reports what happens as
/// ``OutputEvent`` values, through the handler that it was created with, on a thread of its choice.
public protocol AudioOutput: Sendable {
  /// Queues `request` after all earlier ones and returns at once.
  func submit(_ request: OutputRequest)
}
