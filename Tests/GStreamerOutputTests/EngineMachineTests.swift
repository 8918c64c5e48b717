import Player
import Testing

@testable import GStreamerOutput

/// What the engine decides, on a fake clock and with fake sound.
@Suite struct EngineMachineTests {
  @Test func aTrackIsHeardToItsEnd() {
    let rig = EngineRig("alsa")
    let id = rig.start()
    rig.pass { rig.events.contains(.ended(id)) }
    let told = rig.events.compactMap { event -> String? in
      switch event {
      case .started: "started"
      case .playing(_, let position): "playing at \(position.components.seconds)"
      case .ended: "ended"
      case .seekable(_, let isSeekable): "seekable \(isSeekable)"
      case .duration(_, let duration): "\(duration.components.seconds) s"
      default: nil
      }
    }
    #expect(told == ["1 s", "seekable true", "started", "playing at 0", "ended"])
    #expect(rig.sound.granted.count == 1, "its turn comes once")
    rig.finish()
    #expect(rig.faults == [])
  }

  @Test func theNextTrackFollowsWithoutAGap() {
    let rig = EngineRig("alsa")
    let first = rig.start()
    let second = rig.setNext()
    rig.pass { rig.events.contains(.ended(second)) }
    #expect(rig.events.contains(.started(second)))
    #expect(!rig.events.contains(.ended(first)))
    #expect(rig.sound.granted.count == 2)
    #expect(rig.sound.made == 2)
    rig.finish()
    #expect(rig.faults == [])
  }

  @Test func aPauseFadesOutAndTheSoundGoesOn() {
    let rig = EngineRig("alsa")
    let id = rig.start()
    rig.pass { rig.isPlaying }
    rig.pass(200)
    rig.perform(.pause(id))
    #expect(rig.sound.device?.isClosed == true)
    #expect(rig.sound.device?.isToPlay == true, "it fades out first")
    rig.pass { rig.machine.phase == .paused }
    #expect(rig.sound.device?.isToPlay == false)
    rig.pass(5000)
    #expect(rig.machine.earliest == nil, "nothing is due while it is paused")
    rig.perform(.resume(id))
    rig.pass { rig.events.contains(.ended(id)) }
    #expect(rig.faults == [])
  }

  @Test func aDeviceThatComesBackIsUsed() throws {
    let rig = EngineRig("alsa")
    let id = rig.start()
    rig.pass { rig.isPlaying }
    rig.pass(300)
    rig.send(rig.sound.loseDevice(.unusable(.absent, "no such device")))
    rig.pass(20_000)
    #expect(rig.sound.device == nil)
    #expect(rig.machine.plan.device.retry == nil, "it is watched for, not polled")
    rig.send(rig.sound.findDevice())
    rig.pass { rig.isPlaying }
    #expect(rig.sound.device != nil)
    let position = rig.events.reversed().compactMap { event -> Duration? in
      if case .playing(_, let position) = event { position } else { nil }
    }.first
    #expect(try (.milliseconds(280) ... .milliseconds(320)).contains(#require(position)))
    rig.pass { rig.events.contains(.ended(id)) }
    rig.finish()
    #expect(rig.faults == [])
  }

  /// The samples of the next track were in the device that went.
  @Test func whatFollowsIsKnownWithoutADevice() {
    let rig = EngineRig("alsa")
    let first = rig.start()
    let second = rig.setNext()
    rig.pass { rig.machine.upcoming != nil && rig.machine.feeding == rig.machine.upcoming }
    rig.send(rig.sound.loseDevice(.unusable(.absent, "no such device")))
    rig.pass(10_000)
    rig.send(rig.sound.findDevice())
    rig.pass { rig.isPlaying }
    #expect(rig.machine[rig.machine.heard]?.id == first)
    rig.pass { rig.events.contains(.ended(second)) }
    #expect(rig.events.contains(.started(second)))
    #expect(rig.faults == [])
  }

  /// Its samples wait before the sound before it has faded out.
  @Test func aTrackThatIsReadyDuringAFadeBeginsWhereItShould() {
    let rig = EngineRig("alsa")
    rig.start()
    rig.pass { rig.isPlaying }
    rig.perform(.stop)
    let id = rig.start("http://host/c", at: .milliseconds(400))
    rig.pass { rig.machine[rig.machine.heard]?.state.isReady == true }
    #expect(rig.machine.plan.fade.isToEnd)
    #expect(rig.sound.turn == nil)
    rig.pass { rig.isPlaying }
    let isThere = rig.events.contains {
      if case .playing(id, let position) = $0 {
        (.milliseconds(400) ... .milliseconds(450)).contains(position)
      } else {
        false
      }
    }
    #expect(isThere)
    #expect(rig.faults == [])
  }

  /// Of two flushes at a time, the first would let through what the second must drop.
  @Test func aSeekWaitsForTheOneBefore() {
    let rig = EngineRig("alsa")
    let id = rig.start(paused: true)
    rig.pass { rig.machine.phase == .paused }
    rig.track?.isFlushing = true
    rig.perform(.seek(id, .milliseconds(300)))
    rig.perform(.seek(id, .milliseconds(600)))
    #expect(rig.track?.epoch == 0)
    rig.track?.isFlushing = false
    rig.send(.notice(.ready(rig.machine.heard ?? 0, epoch: 0, FakeSound.usual)))
    #expect(rig.track?.epoch == 1)
    rig.pass { rig.events.contains(.paused(id, position: .milliseconds(600))) }
    #expect(rig.faults == [])
  }

  @Test func aStandInPlaysUntilADeviceIsThere() {
    let rig = EngineRig()
    rig.sound.problem = .unusable(.absent, "nothing is there")
    rig.sound.shape = { $0.frames = 60_000 }
    rig.start()
    rig.pass { rig.isPlaying }
    #expect(rig.sound.device?.isStandIn == true)
    #expect(rig.lines.filter { $0.level == .warning }.count == 1)
    rig.pass(3000)
    rig.send(rig.sound.findDevice())
    rig.pass { rig.sound.device?.isStandIn == false && rig.isPlaying }
    #expect(rig.lines.contains { $0.level == .notice })
    #expect(rig.faults == [])
  }

  /// Whose refusal is never explained.
  @Test func aDeviceThatRefusesIsTriedAgain() {
    let rig = EngineRig("alsa")
    rig.sound.refuses = true
    let id = rig.start()
    rig.pass(50)
    #expect(rig.machine[rig.machine.heard]?.state.isReady == true)
    #expect(rig.sound.turn == nil, "its samples would be lost")
    rig.pass(100)
    #expect(rig.sound.device == nil)
    rig.sound.refuses = false
    rig.pass { rig.events.contains(.ended(id)) }
    #expect(rig.faults == [])
  }

  @Test func aDeviceThatNeverOpensIsGivenUp() {
    let rig = EngineRig("alsa")
    rig.sound.problem = .unusable(.absent, "no such device")
    let id = rig.start()
    rig.pass { rig.machine.heard == nil }
    guard
      case .failed(id, let failure)? = rig.events.first(where: {
        if case .failed = $0 { true } else { false }
      })
    else {
      Issue.record("it doesn't fail")
      return
    }
    #expect(failure.kind == .device)
    #expect(rig.sound.made == rig.sound.disposed)
    #expect(rig.machine.earliest == nil)
    #expect(rig.faults == [])
  }

  @Test func aSilentServerIsWaitedForAndThenGivenUp() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { $0.frames = 60_000 }
    let id = rig.start()
    rig.pass { rig.isPlaying }
    rig.track?.isSilent = true
    rig.pass { rig.machine.phase == .buffering }
    #expect(rig.events.contains(.buffering(id)))
    #expect(rig.sound.device?.isToPlay == false)
    rig.track?.isSilent = false
    rig.pass { rig.isPlaying }
    rig.track?.isSilent = true
    rig.pass { rig.machine.heard == nil }
    guard case .failed(id, let failure)? = rig.events.last(where: { $0.playID == id }) else {
      Issue.record("it doesn't fail")
      return
    }
    #expect(failure.kind == .timedOut)
    #expect(failure.mayPass)
    #expect(rig.faults == [])
  }

  /// The server takes seconds to answer each seek, and the player says meanwhile that nothing is heard.
  @Test func eachSlowSeekIsTold() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { ($0.frames, $0.isSilent) = (60_000, true) }
    let id = rig.start()
    func waits() -> Int { rig.events.count { $0 == .buffering(id) } }
    func hear() {
      rig.track?.isSilent = false
      rig.pass { rig.isPlaying }
      rig.pass(500)
    }
    rig.pass(3000)
    #expect(waits() == 1, "the start")
    hear()
    for (count, place) in [(2, 30), (3, 10)] {
      rig.track?.isSilent = true
      rig.perform(.seek(id, .seconds(place)))
      rig.pass(3000)
      #expect(waits() == count, "the seek to \(place) s")
      hear()
    }
    rig.track?.isSilent = true
    rig.perform(.pause(id))
    rig.perform(.seek(id, .seconds(20)))
    rig.pass(3000)
    #expect(waits() == 3, "it is paused")
    rig.perform(.resume(id))
    rig.pass(3000)
    #expect(waits() == 4, "it is to go on")
    hear()
    #expect(rig.faults == [])
  }

  /// Parts of an HLS stream that are gone, while the demuxer waits before it asks for them again.
  @Test(arguments: [(404, PlaybackFailure.Kind.notFound), (403, .forbidden), (503, .serverFault)])
  func aRefusedPartIsToldAsSuch(_ status: Int, _ kind: PlaybackFailure.Kind) {
    let rig = EngineRig("alsa")
    rig.sound.shape = { ($0.frames, $0.isList) = (60_000, true) }
    let id = rig.start("http://host/list.m3u8")
    rig.pass { rig.isPlaying }
    rig.track?.isSilent = true
    rig.perform(.seek(id, .seconds(30)))
    let answer = ServerAnswer(uri: "http://host/part3.ts", status: status, fields: [])
    rig.send(.track(rig.machine.heard ?? 0, .answered(answer)))
    rig.pass { rig.machine.heard == nil }
    guard case .failed(id, let failure)? = rig.events.last(where: { $0.playID == id }) else {
      Issue.record("it doesn't fail")
      return
    }
    #expect(failure.kind == kind)
    #expect(failure.message.contains("http://host/part3.ts"))
    #expect(rig.faults == [])
  }

  /// A stream in parts whose server is away is waited for.
  @Test func partsWithoutAnAnswerAreAnOutage() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { ($0.frames, $0.isList) = (60_000, true) }
    let id = rig.start("http://host/list.m3u8")
    rig.pass { rig.isPlaying }
    rig.track?.isSilent = true
    rig.track?.awaitsAnswer = true
    rig.pass { rig.machine.heard == nil }
    guard case .failed(id, let failure)? = rig.events.last(where: { $0.playID == id }) else {
      Issue.record("it doesn't fail")
      return
    }
    #expect(failure.trouble == .network)
    #expect(rig.faults == [])
  }

  /// The first track has been heard, and what should follow it can't be played.
  @Test func theEndIsToldWhenTheNextTrackFailsAfterIt() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { $0.isSilent = $0.wanted.uri.hasSuffix("b") }
    let first = rig.start()
    let second = rig.setNext()
    rig.pass { rig.machine[rig.machine.heard]?.id == second }
    rig.send(.track(rig.machine.heard ?? 0, .failed(.made(httpStatus: 404))))
    let about = rig.events.compactMap { event -> PlayID? in
      switch event {
      case .failed(let id, _), .ended(let id): id
      default: nil
      }
    }
    #expect(about == [second, first])
    rig.finish()
    #expect(rig.faults == [])
  }

  /// When it is due it is given up for now; the player starts it as a track of its own. Only a bad one is skipped.
  @Test(arguments: [(503, true), (404, false)])
  func aNextTrackThatFailsWhenItIsDueIsntInterrupted(_ status: Int, _ mayPass: Bool) {
    let rig = EngineRig("file:/a.wav")
    rig.sound.shape = { $0.isSilent = $0.wanted.uri.hasSuffix("b") }
    let first = rig.start()
    let second = rig.setNext()
    rig.pass { rig.machine.phase == .buffering }
    rig.send(.track(rig.machine.upcoming ?? 0, .failed(.made(httpStatus: status))))
    let failure = rig.events.compactMap { event -> PlaybackFailure? in
      if case .failed(second, let failure) = event { failure } else { nil }
    }.first
    #expect(failure?.mayPass == mayPass)
    #expect(rig.machine.interruptedMedia == nil)
    rig.pass { rig.events.contains(.ended(first)) }
    #expect(rig.faults == [])
  }

  @Test func aRefusedSeekGoesOnWhereItWas() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { $0.refusesSeeks = true }
    let id = rig.start()
    rig.pass { rig.isPlaying }
    rig.perform(.seek(id, .milliseconds(700)))
    #expect(rig.lines.contains { $0.text.contains("refused to seek") })
    #expect(rig.machine.heard != nil)
    #expect(rig.faults == [])
  }

  /// A redirect is followed by a track of another number, which the player doesn't notice.
  @Test func aRedirectMakesAnotherTrack() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { $0.isSilent = $0.wanted.uri.hasSuffix("a") }
    let id = rig.start()
    rig.pass(20)
    let serial = rig.machine.heard ?? 0
    let answer = ServerAnswer(status: 302, fields: [("Location", "http://other/c")])
    rig.send(.track(serial, .answered(answer)))
    rig.send(.track(serial, .failed(.made(httpStatus: 302))))
    #expect(rig.track?.wanted.uri == "http://other/c")
    #expect(rig.machine.heard != serial)
    #expect(rig.sound.tracks[serial] == nil)
    rig.pass { rig.events.contains(.ended(id)) }
    #expect(rig.faults == [])
  }

  @Test func aRedirectToAFileIsRefused() {
    let rig = EngineRig("alsa")
    rig.sound.shape = { $0.isSilent = true }
    rig.start()
    rig.pass(20)
    let serial = rig.machine.heard ?? 0
    rig.send(
      .track(serial, .answered(ServerAnswer(status: 302, fields: [("Location", "file:///etc/passwd")]))))
    rig.send(.track(serial, .failed(.made(httpStatus: 302))))
    guard case .failed(_, let failure)? = rig.events.last else {
      Issue.record("it doesn't fail")
      return
    }
    #expect(failure.kind == .refusedURI)
    #expect(rig.sound.made == 1)
    #expect(rig.faults == [])
  }
}
