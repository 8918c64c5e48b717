import CGStreamer

/// One possible value of the configuration's output, described for users.
public struct OutputDescription: Sendable, Hashable {
  /// What to write into the configuration ("alsa:hw:0").
  public var name: String
  /// What it is ("HDA Intel PCH, ALC892 Analog").
  public var description: String
  /// False when the GStreamer plugin for it isn't installed.
  public var isAvailable: Bool

  public init(name: String, description: String, isAvailable: Bool) {
    self.name = name
    self.description = description
    self.isAvailable = isAvailable
  }

  /// All kinds of output, and the sound devices that GStreamer sees now.
  static func find() -> [OutputDescription] {
    GStreamerLibrary.prepare()
    var result = [
      OutputDescription(
        name: "auto", description: "the best device there is; plays silently where there is none",
        isAvailable: true),
      OutputDescription(
        name: "alsa", description: "ALSA's default device; alsa:DEVICE for another",
        isAvailable: has("alsasink")),
      OutputDescription(
        name: "pulse", description: "PulseAudio; pulse:SINK for another sink", isAvailable: has("pulsesink")),
      OutputDescription(
        name: "pipewire", description: "PipeWire; pipewire:TARGET for another target",
        isAvailable: has("pipewiresink")),
    ]
    result += devices()
    result += [
      OutputDescription(
        name: "file:/PATH.wav", description: "a recording, in real time", isAvailable: true),
      OutputDescription(name: "null", description: "silence, in real time", isAvailable: true),
      OutputDescription(
        name: "pipeline:DESCRIPTION", description: "a GStreamer bin that ends in a sink", isAvailable: true),
    ]
    return result
  }

  private static func has(_ factory: String) -> Bool {
    guard let found = gst_element_factory_find(factory) else { return false }
    gst_object_unref(UnsafeMutableRawPointer(found))
    return true
  }

  private static func devices() -> [OutputDescription] {
    guard let monitor = gst_device_monitor_new() else { return [] }
    defer { gst_object_unref(monitor) }
    gst_device_monitor_add_filter(monitor, "Audio/Sink", nil)
    guard gst_device_monitor_start(monitor) != 0 else { return [] }
    defer { gst_device_monitor_stop(monitor) }
    let list = gst_device_monitor_get_devices(monitor)
    defer { g_list_free(list) }
    var result: [OutputDescription] = []
    var item = list
    while let entry = item {
      if let data = entry.pointee.data {
        result += [describe(data.assumingMemoryBound(to: GstDevice.self))].compactMap(\.self)
        gst_object_unref(data)
      }
      item = entry.pointee.next
    }
    return result
  }

  private static func describe(_ device: UnsafeMutablePointer<GstDevice>) -> OutputDescription? {
    guard let title = gst_device_get_display_name(device) else { return nil }
    defer { g_free(title) }
    guard let element = gst_device_create_element(device, nil) else { return nil }
    defer { gst_object_unref(element) }
    let kind: String
    switch String(cString: vireo_factory_name(element)) {
    case "alsasink": kind = "alsa"
    case "pulsesink": kind = "pulse"
    case "pipewiresink": kind = "pipewire"
    default: return nil
    }
    let property = kind == "pipewire" ? "target-object" : "device"
    guard vireo_has_property(element, property) != 0, let name = vireo_get_string(element, property) else {
      return nil
    }
    defer { g_free(name) }
    return OutputDescription(
      name: "\(kind):\(String(cString: name))", description: String(cString: title), isAvailable: true)
  }
}
