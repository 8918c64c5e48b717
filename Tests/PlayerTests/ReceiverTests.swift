import Testing

@testable import Player

/// The source that plays what another room sends.
@Suite struct ReceiverTests {
  private static let kitchen = Media(uri: "ohz://239.255.255.250:51972/kitchen", metadata: "<kitchen/>")
  private static let bath = Media(uri: "ohz://239.255.255.250:51972/bath")

  private func listening() -> Rig {
    var rig = Rig()
    rig.perform(.receiver(.setSender(Self.kitchen)), .receiver(.play))
    return rig
  }

  @Test func aSenderIsChosenWithoutPlaying() {
    var rig = Rig()
    rig.perform(.receiver(.setSender(Self.kitchen)))
    #expect(rig.state.activeSource == .receiver && rig.state.phase == .stopped)
    #expect(rig.requestNames.isEmpty)
    rig.perform(.receiver(.play))
    #expect(rig.requestNames == ["start"])
    #expect(rig.state.phase(of: .receiver) == .buffering, "it waits until something is heard")
  }

  @Test func anotherSenderIsHeardAtOnceOnlyWhilePlaying() {
    var rig = listening()
    rig.start()
    rig.perform(.receiver(.setSender(Self.bath)))
    #expect(rig.requestNames == ["stop", "start"])
    rig.perform(.receiver(.setSender(Media(uri: Self.bath.uri, metadata: "new"))))
    #expect(rig.requestNames.isEmpty, "the same sender")
    #expect(rig.state.receiver.sender?.metadata == "new")
    rig.perform(.receiver(.stop))
    rig.perform(.receiver(.setSender(Self.kitchen)))
    #expect(rig.requestNames.isEmpty && rig.state.phase == .stopped)
  }

  @Test func noSenderIsNoFault() {
    var rig = Rig()
    rig.perform(.receiver(.play))
    #expect(rig.state.activeSource == .receiver && rig.state.phase == .stopped)
    rig = listening()
    rig.perform(.receiver(.setSender(Media(uri: ""))))
    #expect(rig.state.receiver.sender == nil && rig.state.phase == .stopped)
    #expect(rig.requestNames == ["stop"])
  }

  @Test func whatTheSenderPlaysIsShownAndForgotten() throws {
    var rig = listening()
    rig.start()
    let id = rig.id
    let before = rig.state.counters.trackCount
    let track = Media(uri: "http://a/1.flac", metadata: "<one/>")
    rig.receive(.streamTrack(id, track))
    #expect(rig.state.currentTrack == track && rig.state.counters.trackCount == before + 1)
    rig.receive(.streamText(id, "<song/>"))
    #expect(rig.state.streamText == "<song/>" && rig.state.counters.metatextCount == 1)
    rig.receive(.streamTrack(id, track))
    #expect(
      rig.state.counters.trackCount == before + 2 && rig.state.streamText.isEmpty, "the same file again")
    rig.perform(.setSource(.playlist))
    rig.perform(.setSource(.receiver))
    #expect(rig.state.currentTrack == Self.kitchen)
  }

  @Test func itIsNeverPaused() {
    var rig = listening()
    rig.start()
    #expect(!rig.state.canPause && rig.state.isLive)
    rig.perform(.transport(.pause))
    #expect(rig.state.phase == .stopped)
    rig.perform(.transport(.play))
    #expect(rig.state.transport.continuation == .playing)
  }

  @Test func itListensAgainAfterARestartOnce() {
    let before = listening()
    let saved = before.state.snapshot
    #expect(saved.player.sender == Self.kitchen && saved.player.isListening)
    var state = PlayerState(snapshot: saved)
    #expect(state.transport == .stopped)
    #expect(state.saved().isListening, "a second power cut right after the first")
    let effects = try? state.apply(Command.receiver(.resumeAfterStart), at: before.now)
    #expect(effects?.contains { if case .output(.start) = $0 { true } else { false } } == true)
    var stopped = PlayerState(snapshot: saved)
    _ = try? stopped.apply(Command.receiver(.stop), at: before.now)
    _ = try? stopped.apply(Command.receiver(.resumeAfterStart), at: before.now)
    #expect(stopped.transport == .stopped && !stopped.saved().isListening)
  }
}
