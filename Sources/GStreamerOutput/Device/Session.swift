/// How the device plays what it is given between one start and the next stop.
///
/// There is one kind. Playing in step with other rooms needs no other: the device is only asked what it plays, and the sound
/// is put where it belongs before it gets there (``RoomPlayer``, ``SenderTap``).
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
