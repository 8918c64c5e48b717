import CGStreamer
import Player

/// What an open device reports about itself.
extension Device {
  /// Passes `body` the element that hands samples to the system: the device of a described pipeline, else the sink.
  private func withSink<Result>(_ body: (UnsafeMutablePointer<GstElement>) -> Result) -> Result {
    guard let device = vireo_audio_device(sink) else { return body(sink) }
    defer { gst_object_unref(device) }
    return body(device)
  }

  /// GStreamer's name of the sink ("alsasink").
  var sinkName: String { withSink { String(cString: vireo_factory_name($0)) } }

  /// The format that the sink has been given; nil before the first samples.
  var delivered: StreamFormat? {
    withSink { sink in
      guard let pad = gst_element_get_static_pad(sink, "sink") else { return nil }
      defer { gst_object_unref(pad) }
      guard let caps = gst_pad_get_current_caps(pad) else { return nil }
      defer { gst_caps_unref(caps) }
      return StreamFormat(caps: caps)
    }
  }

  /// The kind of output behind the sink.
  var target: SoundPath.Target {
    if isDescribed, !DescribedPipeline.passes(DescribedPipeline.factories(of: sink)) { return .pipeline }
    return withSink { sink in
      let name = String(cString: vireo_factory_name(sink))
      switch name {
      case "alsasink":
        let device = Self.text(sink, "device") ?? "default"
        return device.hasPrefix("hw:") ? .card : .alsaPlugins(device: device)
      case "pulsesink": return .server("PulseAudio")
      case "pipewiresink": return .server("PipeWire")
      case "jackaudiosink": return .server("JACK")
      case "appsink", "fakesink", "filesink", "bin": return .file
      default: return .unknown(sink: name)
      }
    }
  }

  /// Whether it is PulseAudio's dummy: a server without a card gives its clients a device that nobody hears.
  var isDummy: Bool {
    withSink { sink in
      String(cString: vireo_factory_name(sink)) == "pulsesink"
        && Self.text(sink, "current-device") == "auto_null"
    }
  }

  private static func text(_ sink: UnsafeMutablePointer<GstElement>, _ property: String) -> String? {
    guard vireo_has_property(sink, property) != 0, let text = vireo_get_string(sink, property) else {
      return nil
    }
    defer { g_free(text) }
    return String(cString: text)
  }
}
