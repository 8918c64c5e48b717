import CGStreamer
import Testing

@testable import GStreamerOutput

/// What the end of a described pipeline means for the format of later tracks.
@Suite struct SinkChoiceTests {
  @Test(arguments: [
    ("fakesink", true), ("wavenc ! filesink location=/dev/null", true), ("alsasink", false),
    ("audioconvert ! pulsesink", false), ("audioconvert ! autoaudiosink", false),
    ("tee name=t t. ! queue ! alsasink t. ! queue ! wavenc ! filesink location=/dev/null", true),
    ("tee name=t t. ! queue ! alsasink t. ! queue ! pulsesink", false),
  ])
  func aDescribedPipelineKeepsTheFormatUnlessItEndsInDevices(description: String, keeps: Bool) throws {
    GStreamerLibrary.prepare()
    let choice = SinkChoice.pipeline(description: description)
    let sink = try choice.make()
    #expect(choice.keepsFormat(sink) == keeps)
    gst_object_unref(sink)
  }

  /// What isn't known may do anything, and who changes samples twice can hide it.
  @Test(arguments: [
    ("alsasink", true), ("audioconvert ! alsasink", true), ("queue ! audioconvert ! queue ! pulsesink", true),
    ("wavenc ! filesink location=/dev/null", true), ("fakesink", true),
    ("volume volume=0.5 ! alsasink", false), ("audioconvert ! audioresample ! alsasink", false),
    ("audioconvert ! audio/x-raw,format=S16LE ! audioconvert ! alsasink", false),
    ("audioconvert ! wavenc ! filesink location=/dev/null", false), ("autoaudiosink", false),
    ("bin.( equalizer-3bands ! alsasink )", false),
  ])
  func whatADescribedPipelineDoesToSamplesIsKnownOrNot(description: String, passes: Bool) throws {
    GStreamerLibrary.prepare()
    let sink = try SinkChoice.pipeline(description: description).make()
    #expect(DescribedPipeline.passes(DescribedPipeline.factories(of: sink)) == passes)
    gst_object_unref(sink)
  }

  @Test(
    arguments: [
      (Duration.zero, Duration.zero, 200_000, 10_000), (.milliseconds(500), .zero, 500_000, 10_000),
      (.milliseconds(500), .milliseconds(50), 500_000, 50_000),
      (.milliseconds(60), .seconds(1), 60_000, 30_000),
    ] as [(Duration, Duration, gint64, gint64)])
  func aDeviceIsToldOfItsBuffer(buffer: Duration, period: Duration, bufferTime: gint64, latencyTime: gint64)
    throws
  {
    GStreamerLibrary.prepare()
    let buffering = DeviceBuffering(buffer: buffer, period: period)
    for name in ["alsa:hw:0", "pulse", "pipeline:audioconvert ! alsasink"] {
      let sink = try SinkChoice(name: name).make()
      defer { gst_object_unref(sink) }
      buffering.apply(to: sink)
      let device = try #require(vireo_audio_device(sink))
      defer { gst_object_unref(device) }
      #expect(int64(of: device, "buffer-time") == bufferTime)
      #expect(int64(of: device, "latency-time") == latencyTime)
    }
    let file = try SinkChoice.file(path: "/x.wav").make()
    buffering.apply(to: file)
    gst_object_unref(file)
  }

  private func int64(of element: UnsafeMutablePointer<GstElement>, _ name: String) -> gint64 {
    var value = GValue()
    defer { g_value_unset(&value) }
    g_object_get_property(
      UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), name, &value)
    return g_value_get_int64(&value)
  }
}
