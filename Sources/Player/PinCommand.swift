import Pins

/// A command to the pins (OpenHome Pins:1).
public enum PinCommand: Sendable, Hashable {
  /// Puts a pin into a slot. Throws `pinIndexOutOfRange`.
  case set(Pin, index: Int)
  /// Empties the slot of a pin; 0 is ignored. Throws `pinNotFound`.
  case clear(UInt32)
  /// Exchanges two slots. Throws `pinIndexOutOfRange`.
  case swap(Int, Int)
  /// Gives a pin another slot; those between move on by one. Throws `pinNotFound`, `pinIndexOutOfRange`.
  case move(UInt32, index: Int)
  /// Plays what a pin stands for, once that is known; an earlier pin that is still looked for is dropped. What plays plays on
  /// until then. ``PlayerState/pinPlay`` says what has come of it.
  case play(Pin)
}
