/// What the engine knows of the sound device.
struct DeviceState {
  /// The device that is open; nil: none is.
  var open: OpenDevice?
  /// The device that `auto` found takes no sound: play to a stand-in.
  var wantsStandIn = false
  /// Exists while a device is wanted and missing.
  var watch: Watch?

  struct Watch: Equatable {
    /// Everything that may appear is noticed.
    var isComplete: Bool
  }
}

/// A device that is open.
struct OpenDevice: Equatable {
  /// Later tracks are converted to the format of the first.
  var keepsFormat: Bool
  /// A silent stand-in for a device that isn't there.
  var isStandIn: Bool
}
