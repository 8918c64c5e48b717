import CGStreamer
import Player

/// Why there is no sink.
enum SinkProblem: Error {
  /// The configuration is wrong, or something isn't installed: retrying doesn't help.
  case wrong(PlaybackFailure)
  /// The device can't be used now; the string is GStreamer's reason.
  case unusable(DeviceRecovery.Fault, String)
}

/// The parsed output name of the configuration.
enum SinkChoice: Hashable {
  /// The best device available.
  case auto
  /// An element of the sound system with its device property.
  case element(factory: String, property: String?, device: String?)
  /// A recording. Tests bend its clock.
  case file(path: String, clock: TrialClock = .none)
  /// Silence, in real time. Tests bend its clock.
  case null(clock: TrialClock = .none)
  case pipeline(description: String)

  /// - Throws: ``PlaybackFailure`` of kind `device` that lists the valid names.
  init(name: String) throws(PlaybackFailure) {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let argument = parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil
    if parts[0] == "file", let argument {
      let (path, clock) = try TrialClock.split(argument)
      if path.hasPrefix("/") {
        self = .file(path: path, clock: clock)
        return
      }
    }
    if argument == nil, case ("null", let clock) = try TrialClock.split(parts[0]), clock.times == nil {
      self = .null(clock: clock)
      return
    }
    switch (parts[0], argument) {
    case ("auto", nil): self = .auto
    case ("alsa", _): self = .element(factory: "alsasink", property: "device", device: argument)
    case ("pulse", _): self = .element(factory: "pulsesink", property: "device", device: argument)
    case ("pipewire", _):
      self = .element(factory: "pipewiresink", property: "target-object", device: argument)
    case ("pipeline", let description?): self = .pipeline(description: description)
    default:
      throw PlaybackFailure(
        .device,
        "The output \(name) is unknown: use auto, alsa, alsa:DEVICE, pulse, pulse:SINK, pipewire, "
          + "pipewire:NODE, file:/PATH.wav, null or pipeline:GSTREAMER-BIN.")
    }
  }

  /// How the output's clock is bent, if a test wants that.
  var clock: TrialClock {
    switch self {
    case .file(_, let clock), .null(let clock): clock
    case .auto, .element, .pipeline: .none
    }
  }

  /// Whether later tracks are converted to the format of the first.
  ///
  /// A recording has one format. A sound device instead plays out what it has and is reopened in the new format, so
  /// that nothing is resampled needlessly. So does a recording that tells its times: it stands for one.
  func keepsFormat(_ sink: UnsafeMutablePointer<GstElement>) -> Bool {
    switch self {
    case .auto, .element: false
    case .file(_, let clock): clock.times == nil
    case .null: true
    case .pipeline: vireo_ends_in_devices(sink) == 0
    }
  }

  /// Debian package that contains an element, for messages.
  static func package(_ factory: String) -> String {
    switch factory {
    case "alsasink": "gstreamer1.0-alsa"
    case "pulsesink": "gstreamer1.0-pulseaudio"
    case "pipewiresink": "gstreamer1.0-pipewire"
    default: "gstreamer1.0-plugins-base"
    }
  }

  /// Makes the sink; the caller owns the floating reference. The sink of ``auto`` is already open.
  func make() throws(SinkProblem) -> UnsafeMutablePointer<GstElement> {
    switch self {
    case .auto: return try AutoSink.find()
    case .element(let factory, let property, let device):
      let sink = try Self.element(factory)
      if let property, let device {
        let name = vireo_has_property(sink, property) != 0 ? property : "path"
        if vireo_has_property(sink, name) != 0 { vireo_set_string(sink, name, device) }
      }
      return sink
    case .null:
      let sink = try Self.element("fakesink")
      vireo_set_int(sink, "sync", 1)
      vireo_set_int(sink, "enable-last-sample", 0)
      return sink
    case .file:
      let sink = try Self.element("appsink")
      vireo_set_int(sink, "sync", 1)
      vireo_set_int(sink, "enable-last-sample", 0)
      vireo_set_int(sink, "max-buffers", 1)
      if let caps = gst_caps_from_string(
        "audio/x-raw,layout=interleaved,format={S16LE,S24LE,S32LE,F32LE,F64LE,U8}")
      {
        vireo_set_pointer(sink, "caps", caps)
        gst_caps_unref(caps)
      }
      return sink
    case .pipeline(let description):
      var error: UnsafeMutablePointer<GError>?
      let bin = gst_parse_bin_from_description_full(
        description, 1, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
      guard let bin else {
        let reason = error.map { String(cString: $0.pointee.message) } ?? "no reason given"
        g_clear_error(&error)
        throw .wrong(
          PlaybackFailure(.device, "The output's pipeline description can't be used: \(reason)"))
      }
      g_clear_error(&error)
      return bin
    }
  }

  private static func element(_ name: String) throws(SinkProblem) -> UnsafeMutablePointer<GstElement> {
    guard let element = gst_element_factory_make(name, nil) else {
      throw .wrong(
        PlaybackFailure(
          .device, "GStreamer's \(name) is missing; install \(package(name)) or choose another output."))
    }
    return element
  }
}
