import CGStreamer
import Foundation
import Testing

@testable import GStreamerOutput

/// What a track's last station tells of its end, and what becomes of its last samples.
@Suite struct TrackFeedTests {
  private final class Notices: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [Int] = []
    /// The numbers of the seeks after which the end was told.
    var ends: [Int] { lock.withLock { list } }
    func add(_ notice: PipelineEvent) {
      if case .finished(_, let epoch) = notice { lock.withLock { list.append(epoch) } }
    }
  }

  private let notices = Notices()

  private func feed() -> TrackFeed {
    TrackFeed(
      serial: 1, timeline: Timeline(), replayGain: ReplayGain(), notify: { [notices] in notices.add($0) })
  }

  @Test func aRefusedSeekLeavesTheEndWhereItIs() {
    let feed = feed()
    feed.finish()
    #expect(notices.ends == [0])
    #expect(feed.beginFlush() == 1)
    feed.abandonFlush()
    #expect(notices.ends == [0, 1])
  }

  @Test func anEndThatComesDuringASeekIsOfBefore() {
    let feed = feed()
    #expect(feed.beginFlush() == 1)
    #expect(feed.isFlushing)
    feed.finish()
    #expect(notices.ends.isEmpty)
    feed.endFlush()
    #expect(!feed.isFlushing)
    #expect(feed.beginFlush() == 2)
    feed.abandonFlush()
    #expect(notices.ends.isEmpty, "the seek before has taken it back")
    feed.finish()
    #expect(notices.ends == [2])
  }

  private static let rate = 48_000

  private func sample(milliseconds: Int) throws -> OpaquePointer {
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=\(Self.rate),channels=2"))
    defer { gst_caps_unref(caps) }
    let bytes = milliseconds * Self.rate / 1000 * 4
    let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes), nil))
    defer { gst_buffer_unref(buffer) }
    return try #require(gst_sample_new(buffer, caps, nil, nil))
  }

  /// A source that has the turn, has pushed 200 ms and has collected 20 ms.
  private func withCollectedSamples(times: Int, _ body: (Timeline, TrackFeed) -> Void) throws {
    GStreamerLibrary.prepare()
    let element = try #require(gst_element_factory_make("appsrc", nil))
    gst_object_ref_sink(element)
    defer { gst_object_unref(element) }
    let source = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstAppSrc.self)
    let (long, short) = (try sample(milliseconds: 200), try sample(milliseconds: 20))
    defer {
      gst_sample_unref(long)
      gst_sample_unref(short)
    }
    for _ in 0..<times {
      let timeline = Timeline()
      let entry = SoundEntry(source: source, chain: SoundChain(), timeline: timeline, notify: { _ in })
      timeline.reset(entry: entry, forgetFormat: true)
      let feed = TrackFeed(serial: 1, timeline: timeline, replayGain: ReplayGain(), notify: { _ in })
      timeline.grant(1)
      #expect(feed.take(long) == GST_FLOW_OK && feed.take(short) == GST_FLOW_OK)
      #expect(timeline.fill.queued == Self.rate / 5)
      body(timeline, feed)
      timeline.reset(entry: nil, forgetFormat: true)
    }
  }

  @Test func aFlushHandsOnWhatWasCollected() throws {
    try withCollectedSamples(times: 1) { timeline, feed in
      timeline.grant(nil)
      feed.flush()
      #expect(timeline.fill.queued == Self.rate / 5, "it isn't its turn")
      timeline.grant(1)
      feed.flush()
      feed.flush()
      #expect(timeline.fill.queued == Self.rate * 22 / 100)
    }
  }

  /// The control thread may hand on what was collected just when the track's own thread does.
  @Test func nothingGetsLostBetweenAFlushAndTheEnd() throws {
    try withCollectedSamples(times: 200) { timeline, feed in
      timeline.grant(nil)
      let (flushes, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        for _ in 0..<2000 { feed.flush() }
        flushes.signal()
      }
      Thread.detachNewThread {
        feed.finish()
        end.signal()
      }
      flushes.wait()
      timeline.grant(1)
      end.wait()
      #expect(timeline.fill.queued == Self.rate * 22 / 100)
    }
  }
}
