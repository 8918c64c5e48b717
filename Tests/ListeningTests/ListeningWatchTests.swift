import Listening
import Testing

@Suite struct ListeningWatchTests {
  @Test func halfOfATrackCounts() {
    var sofa = Sofa()
    #expect(sofa.start(.song()) == [.began("Title"), .named("Title")])
    #expect(sofa.pass(.seconds(149)) == [])
    #expect(sofa.pass(.seconds(1)) == [.heard("Title")])
    #expect(sofa.pass(.seconds(150)) == [])
    #expect(sofa.phase(.stopped) == [.ended("Title", heard: 300)])
    #expect(sofa.watch.due == nil)
  }

  @Test func fourMinutesOfALongTrackCount() {
    var sofa = Sofa()
    _ = sofa.start(.song(seconds: 3600))
    #expect(sofa.pass(.seconds(239)) == [])
    #expect(sofa.pass(.seconds(1)) == [.heard("Title")])
  }

  @Test func fourMinutesCountIfNobodyKnowsHowLongItIs() {
    var sofa = Sofa(hearing: [.half, .halfOfLonger])
    _ = sofa.start(.song(seconds: nil))
    #expect(sofa.pass(.seconds(239)) == [])
    #expect(sofa.pass(.seconds(1)) == [.heard("Title"), .heard("Title", .halfOfLonger)])
  }

  @Test func shortTracksCountForListenBrainzOnly() {
    var sofa = Sofa(hearing: [.half, .halfOfLonger])
    _ = sofa.start(.song(seconds: 30))
    #expect(sofa.pass(.seconds(30)) == [.heard("Title")])
    _ = sofa.start(.song("B", seconds: 31))
    #expect(sofa.pass(.seconds(31)) == [.heard("B"), .heard("B", .halfOfLonger)])
  }

  @Test func pausesWaitsAndWhatIsSoughtOverDontCount() {
    var sofa = Sofa()
    _ = sofa.start(.song())
    _ = sofa.pass(.seconds(100))
    #expect(sofa.phase(.paused) == [])
    #expect(sofa.watch.due == nil, "nothing wakes up in a pause")
    _ = sofa.pass(.seconds(1000))
    _ = sofa.phase(.playing)
    _ = sofa.pass(.seconds(20))
    _ = sofa.phase(.waiting)
    _ = sofa.pass(.seconds(30))
    #expect(
      sofa.change { ($0.phase, $0.position) = (.playing, .seconds(280)) } == [], "sought nearly to the end")
    #expect(sofa.pass(.seconds(20)) == [])
    #expect(sofa.phase(.stopped) == [.ended("Title", heard: 140)])
  }

  /// The machine sleeps: its clock goes on, and nothing is heard.
  @Test func sleepDoesntCount() {
    var sofa = Sofa()
    _ = sofa.start(.song())
    _ = sofa.pass(.seconds(10))
    sofa.now.sinceBoot += .seconds(3600)
    #expect(sofa.phase(.stopped) == [.ended("Title", heard: 10)])
  }

  @Test func aRepeatedTrackCountsAgain() {
    var sofa = Sofa()
    _ = sofa.start(.song(seconds: 10))
    #expect(sofa.pass(.seconds(10)) == [.heard("Title")])
    #expect(sofa.start(.song(seconds: 10)) == [.ended("Title", heard: 10), .began("Title"), .named("Title")])
    #expect(sofa.pass(.seconds(10)) == [.heard("Title")])
  }

  @Test func soughtBackItCountsOnce() {
    var sofa = Sofa()
    _ = sofa.start(.song(seconds: 10))
    #expect(sofa.pass(.seconds(10)) == [.heard("Title")])
    #expect(sofa.change { $0.position = .zero } == [])
    #expect(sofa.pass(.seconds(10)) == [])
  }

  @Test func anOutageEndsNothing() {
    var sofa = Sofa()
    _ = sofa.start(.song())
    _ = sofa.pass(.seconds(100))
    #expect(sofa.reconnect() == [])
    _ = sofa.pass(.seconds(60))
    #expect(sofa.phase(.playing) == [])
    #expect(sofa.pass(.seconds(50)) == [.heard("Title")])
  }

  @Test func aTrackThatNeverSoundsIsNothing() {
    var sofa = Sofa()
    #expect(sofa.change { $0 = ListeningMoment(phase: .waiting, start: 1, track: .song()) } == [])
    #expect(sofa.phase(.stopped) == [])
  }

  @Test func namesMayComeLater() {
    var sofa = Sofa()
    #expect(sofa.start(ReportedTrack(duration: .seconds(10))) == [.began(nil)])
    #expect(sofa.pass(.seconds(8)) == [], "nobody could say what was heard")
    #expect(sofa.change { $0.track = .song(seconds: 10) } == [.named("Title"), .heard("Title")])
  }

  @Test func theLengthMayComeLater() {
    var sofa = Sofa()
    _ = sofa.start(.song(seconds: nil))
    _ = sofa.pass(.seconds(60))
    #expect(sofa.change { $0.track = .song(seconds: 100) } == [.heard("Title")])
  }

  @Test func whatFollowsWithoutAGapIsAnotherListen() {
    var sofa = Sofa()
    _ = sofa.start(.song("A", seconds: 100))
    _ = sofa.pass(.seconds(100))
    #expect(sofa.start(.song("B")) == [.ended("A", heard: 100), .began("B"), .named("B")])
  }

  @Test func beatsComeWhileItIsHeard() {
    var sofa = Sofa(hearing: [], interval: .seconds(60))
    _ = sofa.start(.song())
    #expect(sofa.pass(.seconds(125)) == [.beat(60), .beat(120)])
    _ = sofa.phase(.paused)
    #expect(sofa.pass(.seconds(600)) == [])
    _ = sofa.phase(.playing)
    #expect(sofa.pass(.seconds(60)) == [.beat(185)], "from where it goes on")
  }

  @Test func anIntervalOfZeroIsBeginAndEndOnly() {
    var sofa = Sofa(hearing: [], interval: .zero)
    #expect(sofa.start(.song()) == [.began("Title"), .named("Title")])
    #expect(sofa.pass(.seconds(3000)) == [])
    #expect(sofa.watch.due == nil)
    #expect(sofa.phase(.stopped) == [.ended("Title", heard: 3000)])
  }

  @Test func theEndOfTheProgramIsAnEnd() {
    var sofa = Sofa()
    _ = sofa.start(.song())
    _ = sofa.pass(.seconds(10))
    #expect(sofa.watch.end(at: sofa.now).map { Said($0) } == [.ended("Title", heard: 10)])
    #expect(sofa.watch.end(at: sofa.now) == [])
  }

  @Test func otherSourcesAreLeftOut() {
    var sofa = Sofa(sources: [.playlist])
    _ = sofa.start(.song("A"))
    _ = sofa.pass(.seconds(10))
    #expect(sofa.start(.song("B"), from: .upnpAV) == [.ended("A", heard: 10)])
    #expect(sofa.pass(.seconds(500)) == [])
    #expect(sofa.start(.song("C"), from: .receiver) == [])
  }

  // MARK: - Stations

  private func radio() -> Sofa { Sofa(hasStations: true, hearing: [.half, .halfOfLonger]) }
  private let station = ReportedTrack(station: "Radio Bird")

  @Test func stationsAreOffUnlessTheyAreWanted() {
    var sofa = Sofa(sources: [.playlist, .upnpAV])
    #expect(sofa.start(station, from: .radio, isStation: true) == [])
    #expect(sofa.start(.song(), from: .upnpAV, isStation: true) == [], "a station that is cast, too")
    // It wasn't known before the first data came.
    _ = sofa.start(.song(), from: .upnpAV)
    #expect(sofa.change { $0.isStation = true } == [.ended("Title", heard: 0)])
    var named = Sofa(sources: [.radio])
    #expect(named.start(station, from: .radio, isStation: true) == [.began(nil)])
  }

  @Test func aStationsSongCountsIfItWasHeardFromItsBeginning() {
    var sofa = radio()
    #expect(sofa.start(station, from: .radio, isStation: true) == [.began(nil)])
    _ = sofa.pass(.seconds(2))
    #expect(sofa.song("A") == [.named("A")])
    #expect(sofa.pass(.seconds(200)) == [], "its beginning was missed")
    #expect(sofa.song("B") == [.ended("A", heard: 202), .began("B"), .named("B")])
    #expect(sofa.pass(.seconds(59)) == [])
    #expect(sofa.pass(.seconds(1)) == [.heard("B"), .heard("B", .halfOfLonger)])
    #expect(sofa.song("C") == [.ended("B", heard: 60), .began("C"), .named("C")])
    #expect(sofa.pass(.seconds(59)) == [])
    #expect(sofa.phase(.stopped) == [.ended("C", heard: 59)])
  }

  @Test func aStationsTextWithoutAnArtistIsNoListen() {
    var sofa = radio()
    _ = sofa.start(station, from: .radio, isStation: true)
    _ = sofa.song("A")
    #expect(sofa.song("News at nine", by: nil) == [.ended("A", heard: 0), .began("News at nine")])
    #expect(sofa.pass(.seconds(600)) == [])
    #expect(sofa.song(nil) == [.ended("News at nine", heard: 600), .began(nil)])
    #expect(sofa.song("B") == [.ended(nil, heard: 0), .began("B"), .named("B")])
    #expect(sofa.pass(.seconds(60)).first == .heard("B"))
  }

  @Test func aSongGoesOnBehindALostConnection() {
    var sofa = radio()
    _ = sofa.start(station, from: .radio, isStation: true)
    _ = sofa.song("A")
    _ = sofa.song("B")
    _ = sofa.pass(.seconds(40))
    #expect(sofa.reconnect() == [])
    _ = sofa.pass(.seconds(5))
    #expect(sofa.phase(.playing) == [])
    _ = sofa.pass(.seconds(1))
    #expect(sofa.song("B") == [])
    #expect(sofa.pass(.seconds(19)) == [.heard("B"), .heard("B", .halfOfLonger)])
  }

  @Test func anotherSongBehindALostConnectionIsNotWhole() {
    var sofa = radio()
    _ = sofa.start(station, from: .radio, isStation: true)
    _ = sofa.song("A")
    _ = sofa.song("B")
    _ = sofa.pass(.seconds(40))
    _ = sofa.reconnect(.playing)
    #expect(sofa.song("C") == [.ended("B", heard: 40), .began("C"), .named("C")])
    #expect(sofa.pass(.seconds(300)) == [])
    _ = sofa.song("D")
    #expect(sofa.pass(.seconds(60)).first == .heard("D"))
  }

  /// Some stations show their slogan every half minute.
  @Test func aSongThatTakesTurnsWithASloganCountsOnce() {
    var sofa = radio()
    _ = sofa.start(station, from: .radio, isStation: true)
    _ = sofa.song("Slogan", by: nil)
    _ = sofa.song("A")
    #expect(sofa.pass(.seconds(90)).contains(.heard("A")))
    _ = sofa.song("Slogan", by: nil)
    _ = sofa.pass(.seconds(5))
    _ = sofa.song("A")
    #expect(sofa.pass(.seconds(90)) == [])
    _ = sofa.song("B")
    #expect(sofa.pass(.seconds(90)).contains(.heard("B")))
  }

  @Test func aPodcastOfARadioListIsATrack() {
    var sofa = radio()
    _ = sofa.start(.song(seconds: 100), from: .radio, isStation: true)
    #expect(sofa.change { $0.isStation = false } == [])
    #expect(sofa.pass(.seconds(60)).contains(.heard("Title")))
  }

  // MARK: - Pauses of the reports

  @Test func whatBeganInAPauseOfTheReportsIsLeftOut() {
    var sofa = Sofa()
    _ = sofa.start(.song("A"))
    sofa.watch.skip(sofa.moment)
    #expect(sofa.watch.listen == nil)
    #expect(sofa.tell() == [])
    #expect(sofa.pass(.seconds(300)) == [])
    _ = sofa.phase(.paused)
    #expect(sofa.phase(.playing) == [])
    #expect(sofa.start(.song("B")) == [.began("B"), .named("B")])
    #expect(sofa.start(.song("A")).contains(.began("A")), "the same track, begun anew")
  }

  @Test func aStationsSongInAPauseOfTheReportsIsLeftOut() {
    var sofa = radio()
    _ = sofa.start(station, from: .radio, isStation: true)
    _ = sofa.song("A")
    sofa.watch.skip(sofa.moment)
    #expect(sofa.pass(.seconds(100)) == [])
    #expect(sofa.song("B") == [.began("B"), .named("B")])
    #expect(sofa.pass(.seconds(60)).contains(.heard("B")))
    #expect(sofa.song("A").contains(.ended("B", heard: 60)), "nothing of the other")
    #expect(sofa.pass(.seconds(60)) == [])
  }
}
