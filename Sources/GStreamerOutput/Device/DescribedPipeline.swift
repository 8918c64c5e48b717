import CGStreamer

/// Looks into a pipeline that the configuration describes (`pipeline:`).
enum DescribedPipeline {
  /// Elements that pass on or write samples unchanged.
  private static let passing: Set<String> = [
    "queue", "queue2", "capsfilter", "wavenc", "filesink", "fakesink",
  ]
  /// Sound devices. One conversion in front of them is fine: the format that the device is given shows it.
  private static let devices: Set<String> = ["alsasink", "pulsesink", "jackaudiosink"]

  /// Whether every sample that the sink was given passes unchanged.
  ///
  /// - Parameter factories: factory names of all elements. An unknown element may do anything.
  static func passes(_ factories: [String]) -> Bool {
    let rest = factories.filter { !passing.contains($0) && !devices.contains($0) }
    let hasDevice = factories.contains(where: devices.contains)
    return rest.isEmpty || hasDevice && rest == ["audioconvert"]
  }

  /// Factory names of all elements in `bin`, or of `bin` itself if it isn't a bin.
  static func factories(of bin: UnsafeMutablePointer<GstElement>) -> [String] {
    guard vireo_is_bin(bin) != 0 else { return [String(cString: vireo_factory_name(bin))] }
    let elements = gst_bin_iterate_recurse(UnsafeMutableRawPointer(bin).assumingMemoryBound(to: GstBin.self))
    defer { gst_iterator_free(elements) }
    var names: [String] = []
    withUnsafeMutablePointer(to: &names) { names in
      _ = gst_iterator_foreach(
        elements,
        { value, names in
          guard let element = g_value_get_object(value), let names else { return }
          let name = vireo_factory_name(element.assumingMemoryBound(to: GstElement.self))
          names.assumingMemoryBound(to: [String].self).pointee.append(name.map { String(cString: $0) } ?? "")
        }, names)
    }
    return names
  }
}
