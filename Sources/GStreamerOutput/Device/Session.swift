/// How the device plays what it is given between one start and the next stop.
///
/// There is one kind today. Playing at a given time, in step with other rooms, is another: by a clock that they share,
/// from a first frame that is due at a time of it, with a latency that all agree on.
struct Session: Sendable, Hashable {
  /// By whose clock frames are played.
  enum Clock: Sendable, Hashable {
    /// The device's own.
    case device
  }

  /// When the first frame is heard.
  enum FirstFrame: Sendable, Hashable {
    /// As soon as the device can play it.
    case atOnce
  }

  var clock = Clock.device
  var firstFrame = FirstFrame.atOnce
  /// How far ahead of what is heard the device takes samples.
  var latency: DeviceBuffering
}
