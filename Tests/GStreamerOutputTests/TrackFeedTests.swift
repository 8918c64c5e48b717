import Foundation
import Testing

@testable import GStreamerOutput

/// What a track's last station tells of its end.
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
}
