/// How the device plays what it is given between one start and the next stop.
///
/// There is one kind today. Playing in step with other rooms would be another: by a shared clock, with a first frame that
/// is due at a certain time of that clock, and with a common latency.
struct Session: Sendable, Hashable {
  /// The clock that sets the pace.
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
