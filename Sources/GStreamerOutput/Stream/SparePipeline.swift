import CGStreamer

/// A pipeline for a network track that isn't known yet. Confined to the control thread.
///
/// Making one takes half a millisecond, which is better spent before a control point waits for the sound.
final class SparePipeline {
  /// The format that its samples are converted to; nil for their own.
  let format: StreamFormat?
  private var assembly: TrackPipelineBuilder.Assembly?

  /// Nil if something is missing: the track that is made later reports what.
  init?(format: StreamFormat?, configuration: OutputConfiguration) {
    guard let source = TrackSource.soup() else { return nil }
    TrackSource.setUp(source, configuration)
    assembly = try? TrackPipelineBuilder.assembly(
      source: source, isPushed: true, rawPCM: nil, format: format, quality: configuration.resampler)
    guard let assembly else { return nil }
    self.format = format
    gst_element_set_state(assembly.pipeline, GST_STATE_READY)
  }

  deinit {
    guard let assembly else { return }
    gst_element_set_state(assembly.pipeline, GST_STATE_NULL)
    gst_object_unref(assembly.pipeline)
  }

  var isUsed: Bool { assembly == nil }

  /// The pipeline, which the caller owns; nil if it was taken before.
  func take() -> TrackPipelineBuilder.Assembly? {
    defer { assembly = nil }
    return assembly
  }
}
