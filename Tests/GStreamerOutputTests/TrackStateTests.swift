import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

/// How far a track has come, whatever happens to it.
@Suite struct TrackStateTests {
  private let format: StreamFormat

  init() throws {
    GStreamerLibrary.prepare()
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2"))
    defer { gst_caps_unref(caps) }
    format = try #require(StreamFormat(caps: caps))
  }

  private func playing(at running: UInt = 100, media: UInt = 50) -> TrackState {
    var track = TrackState()
    _ = track.ready(format)
    track.joined(running: running, media: media)
    return track
  }

  @Test func itsPositionIsThatOfTheDevice() {
    var track = TrackState()
    track.startPosition = 7
    #expect(track.isEmpty)
    #expect(track.position(at: 500, end: 500) == 7, "nothing of it has come")
    track = playing()
    #expect(!track.isEmpty)
    #expect(track.position(at: 90, end: 300) == 50, "the track before is still heard")
    #expect(track.position(at: 150, end: 300) == 100)
    #expect(track.position(at: 400, end: 300) == 250, "the device has no more")
    #expect(track.position(at: 400, end: 20) == 50, "the device was emptied")
  }

  @Test func itsDurationIsCounted() {
    var track = playing()
    #expect(track.duration(end: 300) == 250)
    #expect(track.duration(end: 99) == nil)
    track.breaksOff(PlaybackFailure(.other, "it breaks off"))
    #expect(track.duration(end: 300) == nil)
    #expect(TrackState().duration(end: 300) == nil)
  }

  @Test func aSeekDropsWhatCame() {
    var track = playing()
    track.breaksOff(PlaybackFailure(.other, "it breaks off"))
    track.finished()
    track.skips(since: .now)
    track.seek(to: 1000)
    track.seekBegan(1)
    track.begin()
    #expect(track.epoch == 1 && track.startPosition == 1000)
    #expect(!track.isReady && !track.isFinished && track.failure == nil && track.skipBegan == nil)
    #expect(track.hasPushed && track.format == format, "that doesn't change")
    #expect(track.position(at: 5000, end: 5000) == 1000)
    let isFirst = track.ready(format)
    #expect(!isFirst)
  }

  @Test func aLostDeviceKeepsItsPlace() {
    var track = TrackState()
    track.startPosition = 7
    track.lostDevice(at: 0)
    #expect(track.startPosition == 7, "it wasn't heard yet")
    track = playing()
    track.lostDevice(at: 200)
    #expect(track.startPosition == 200 && track.joint == nil)
    track = playing()
    track.changesFormat()
    #expect(track.startPosition == 0 && track.joint == nil)
  }

  @Test func whatReplacesItKeepsWhatThePlayerKnows() {
    var track = playing()
    let (isFirst, isAgain) = (track.started(), track.started())
    #expect(isFirst && !isAgain)
    track.awaitedSeek = 900
    track.refusedRange()
    #expect(track.startPosition == 900)
    var other = TrackState()
    other.replace(track)
    #expect(other.isStarted && other.isRangeRefused && other.startPosition == 900)
    #expect(other.isEmpty && other.epoch == 0)
  }

  @Test func eachChangeIsReportedOnce() {
    var reports = TrackReports()
    let durations = [5, 5, 6, 5].map { reports.isNew(duration: $0) }
    #expect(durations == [true, false, true, true])
    let seekable = [false, false, true].map { reports.isNew(isSeekable: $0) }
    #expect(seekable == [true, false, true])
    let details = [StreamDetails(), StreamDetails()].map { reports.isNew(details: $0) }
    #expect(details == [true, false])
  }
}
