import SeededRandom
import Testing

@testable import Rooms

/// The sender, with receivers that are played here.
@Suite struct SenderMachineTests {
  private static let (bath, kitchen) = (SenderRig.room(2), SenderRig.room(3))

  @Test func aJoinIsAnsweredAlsoWhileNothingPlays() {
    var rig = SenderRig()
    rig.join(Self.bath)
    #expect(
      rig.done == [
        .becameActive,
        .send(OHMMessage.trackDatagram(sequence: 0, uri: "", metadata: ""), to: [Self.bath]),
        .send(OHMMessage.metatextDatagram(sequence: 0, ""), to: [Self.bath]),
      ])
    #expect(rig.machine.listeners == [Self.bath] && rig.machine.hasListeners)
    #expect(rig.machine.isListener(Self.bath.address) && !rig.machine.isListener(Self.kitchen.address))
    rig.join(Self.bath)
    #expect(rig.done.count == 2, "it may have missed the first answer")
    rig.listen(Self.bath)
    #expect(rig.done.isEmpty)
  }

  @Test func whoListensAndIsNotKnownHasJoined() {
    var rig = SenderRig()
    rig.listen(Self.bath)
    #expect(rig.done.first == .becameActive && rig.sent(to: Self.bath).count == 2)
  }

  @Test func framesAreCountedFrom0WheneverSomebodyBegins() {
    var rig = SenderRig()
    rig.send()
    #expect(rig.done.isEmpty && rig.machine.nextFrame == 0, "nobody listens")
    rig.join(Self.bath)
    rig.send()
    rig.send()
    #expect(rig.frames(to: Self.bath) == [1])
    rig.join(Self.kitchen)
    rig.send()
    #expect(rig.frames(to: Self.bath) == [2] && rig.frames(to: Self.kitchen) == [2], "all hear the same")
    #expect(rig.done.count == 1)
    rig.hear(OHMMessage.leaveDatagram, from: Self.bath)
    rig.hear(OHMMessage.leaveDatagram, from: Self.kitchen)
    #expect(rig.done == [.send(OHMMessage.leaveDatagram, to: [Self.kitchen]), .becameIdle])
    rig.hear(OHMMessage.leaveDatagram, from: Self.kitchen)
    #expect(rig.done.isEmpty, "it isn't known")
    rig.join(Self.bath)
    rig.hear(OHMMessage.resendDatagram([0, 1, 2]), from: Self.bath)
    #expect(rig.done.isEmpty, "nothing is kept")
    rig.send()
    #expect(rig.frames(to: Self.bath) == [0])
  }

  @Test func whoIsSilentFor10SecondsIsForgotten() {
    var rig = SenderRig()
    rig.join(Self.bath)
    rig.join(Self.kitchen)
    rig.run(9 * SenderRig.second)
    rig.listen(Self.kitchen)
    rig.run(SenderRig.second - 1)
    #expect(rig.machine.listeners == [Self.bath, Self.kitchen])
    rig.run(1)
    #expect(rig.machine.listeners == [Self.kitchen] && rig.done.isEmpty)
    rig.run(20 * SenderRig.second)
    #expect(rig.done == [.becameIdle] && rig.machine.deadline == nil)
  }

  @Test func only16AreServed() {
    var rig = SenderRig()
    for number in 2..<102 as Range<UInt32> {
      rig.join(SenderRig.room(number))
      #expect(rig.done.isEmpty == (number >= 18))
    }
    #expect(rig.machine.listeners == (2..<18 as Range<UInt32>).map { SenderRig.room($0) })
    rig.hear(OHMMessage.leaveDatagram, from: SenderRig.room(5))
    rig.join(SenderRig.room(60))
    #expect(rig.machine.listeners.count == 16 && rig.machine.listeners.last == SenderRig.room(60))
  }

  @Test func strangersAreNotServed() {
    var rig = SenderRig()
    for stranger in [
      IPv4Endpoint(address: 0xc000_0207, port: 5000), SenderRig.room(1), SenderRig.room(2, port: 53),
      SenderRig.room(0), SenderRig.room(255), SenderRig.group,
      IPv4Endpoint(address: 0x7f00_0001, port: 5000),
    ] {
      rig.join(stranger)
      #expect(rig.done.isEmpty && !rig.machine.hasListeners, "\(stranger)")
    }
    rig.join(Self.bath)
    rig.machine.links = [IPv4Link(address: 0x0a00_0101, prefix: 24)]
    rig.run(0)
    #expect(rig.done == [.becameIdle], "the network has changed")
  }

  @Test func floodsAreAnsweredALittle() {
    var rig = SenderRig()
    var answers = 0
    for _ in 0..<1000 {
      rig.join(Self.bath)
      answers += rig.sent(to: Self.bath).count
    }
    #expect(answers == 20, "10 answers")
    (rig, answers) = (SenderRig(), 0)
    for _ in 0..<1000 {
      rig.join(Self.bath)
      answers += rig.sent(to: Self.bath).count
      rig.hear(OHMMessage.leaveDatagram, from: Self.bath)
      answers += rig.sent(to: Self.bath).count
    }
    #expect(answers <= 200)
    rig.run(SenderRig.second)
    rig.join(Self.bath)
    #expect(rig.sent(to: Self.bath).count == 2)
  }

  // MARK: What is sent again

  @Test func lostFramesAreSentAgainToWhoAsked() {
    var rig = SenderRig()
    rig.join(Self.bath)
    rig.join(Self.kitchen)
    for _ in 0..<150 { rig.send() }
    rig.hear(OHMMessage.resendDatagram([49, 50, 149, 150]), from: Self.bath)
    #expect(rig.frames(to: Self.bath) == [50, 149] && rig.frames(to: Self.kitchen).isEmpty)
    for case .audio(let audio) in rig.sent(to: Self.bath) {
      #expect(audio.flags == [.lossless, .timestamped, .promptStamps, .resent])
    }
    rig.hear(OHMMessage.resendDatagram([50]), from: Self.bath)
    #expect(rig.done.isEmpty, "not twice within 20 ms")
    rig.hear(OHMMessage.resendDatagram([50]), from: Self.kitchen)
    #expect(rig.frames(to: Self.kitchen) == [50])
    rig.run(20 * SenderRig.millisecond)
    rig.hear(OHMMessage.resendDatagram([50]), from: Self.bath)
    #expect(rig.frames(to: Self.bath) == [50])
    rig.hear(OHMMessage.resendDatagram([50]), from: SenderRig.room(9))
    #expect(rig.done.isEmpty, "it doesn't listen")
  }

  @Test func atMost20AreSentAgainAtOnceAnd400InASecond() {
    var rig = SenderRig()
    rig.join(Self.bath)
    for _ in 0..<100 { rig.send() }
    rig.hear(OHMMessage.resendDatagram(Array(0..<100)), from: Self.bath)
    #expect(rig.frames(to: Self.bath) == Array(0..<20))
    rig.hear(OHMMessage.resendDatagram(Array(repeating: 77, count: 100)), from: Self.bath)
    #expect(rig.frames(to: Self.bath) == [77])
    rig.run(SenderRig.second)
    rig.listen(Self.bath)
    var count = 0
    for _ in 0..<40 {
      for first in [0, 20, 40, 60, 80] as [UInt32] {
        rig.hear(OHMMessage.resendDatagram(Array(first..<first + 20)), from: Self.bath)
        count += rig.done.count
      }
      rig.run(25 * SenderRig.millisecond)
    }
    #expect((400...800).contains(count), "4000 were asked for")
  }

  @Test func numbersMayWrap() {
    var history = FrameHistory()
    for frame in 0..<150 as Range<UInt32> { history.add([UInt8(frame)], frame: frame &- 75) }
    #expect(history.place(of: 0 &- 26) == nil && history.place(of: 75) == nil)
    #expect(history.place(of: 0 &- 25).map { history[$0] } == [50])
    #expect(history.place(of: .max).map { history[$0] } == [74])
    #expect(history.place(of: 74).map { history[$0] } == [149])
    history.clear()
    #expect(history.place(of: 74) == nil)
    history.add([9], frame: 74)
    #expect(history.place(of: 74).map { history[$0] } == [9] && history.place(of: 73) == nil)
  }

  // MARK: Sound

  @Test func theFirstFrameHasNoTimestamp() {
    var rig = SenderRig()
    rig.join(Self.bath)
    rig.send()
    func flags() -> AudioMessage.Flags? {
      if case .audio(let audio)? = rig.sent(to: Self.bath).first { audio.flags } else { nil }
    }
    #expect(flags() == .lossless, "the one before wasn't sent")
    rig.send()
    #expect(flags() == [.lossless, .timestamped, .promptStamps])
    rig.send(SenderRig.packet(timestamp: nil))
    #expect(flags() == .lossless)
  }

  @Test func aHaltIsToldOnceAndABreakIsJumped() {
    var rig = SenderRig()
    rig.join(Self.bath)
    rig.done = rig.machine.halt(at: 0)
    #expect(rig.done.isEmpty, "nothing was heard")
    rig.machine.skip()
    rig.send(SenderRig.packet(samples: 220, start: 1000))
    rig.done = rig.machine.halt(at: 0)
    guard case .audio(let halt)? = rig.sent(to: Self.bath).first else {
      Issue.record("no halt")
      return
    }
    #expect(halt.frame == 1 && halt.flags == [.lossless, .halt] && halt.samples == 0 && halt.sound.isEmpty)
    #expect(halt.sampleStart == 1220 && halt.rate == 44100 && halt.latency == 2_257_920)
    #expect(rig.machine.halt(at: 0).isEmpty)
    rig.send()
    #expect(rig.frames(to: Self.bath) == [2])
    rig.machine.skip()
    rig.machine.skip()
    rig.send()
    #expect(rig.frames(to: Self.bath) == [253])
    rig.hear(OHMMessage.resendDatagram([1, 2, 253]), from: Self.bath)
    #expect(rig.frames(to: Self.bath) == [253])
  }

  @Test func tracksAndTextsAreToldToAll() {
    var rig = SenderRig()
    #expect(rig.machine.setTrack(uri: "http://a", metadata: "<a/>", at: 0).isEmpty)
    rig.join(Self.bath)
    #expect(
      rig.sent(to: Self.bath) == [
        .track(sequence: 1, uri: "http://a", metadata: "<a/>"), .metatext(sequence: 0, ""),
      ])
    rig.join(Self.kitchen)
    rig.done = rig.machine.setMetatext("<t/>", at: 0)
    #expect(rig.sent(to: Self.kitchen) == [.metatext(sequence: 1, "<t/>")] && rig.done.count == 1)
    #expect(rig.machine.setMetatext("<t/>", at: 0).isEmpty)
    rig.done = rig.machine.setTrack(uri: "http://a", metadata: "<a/>", at: 0)
    #expect(
      rig.sent(to: Self.bath) == [
        .track(sequence: 2, uri: "http://a", metadata: "<a/>"), .metatext(sequence: 0, ""),
      ])
  }

  @Test func textsThatAreTooLongAreLeftOut() {
    var rig = SenderRig()
    rig.join(Self.bath)
    func lengths() -> [Int]? {
      if case .track(_, let uri, let metadata)? = rig.sent(to: Self.bath).first {
        [uri.utf8.count, metadata.utf8.count]
      } else {
        nil
      }
    }
    for (uri, metadata, sent) in [
      (1000, 380, [1000, 380]), (1001, 300, [0, 300]), (1000, 381, [0, 381]), (0, 1380, [0, 1380]),
      (1000, 1381, [1000, 0]),
    ] {
      rig.done = rig.machine.setTrack(
        uri: String(repeating: "u", count: uri), metadata: String(repeating: "m", count: metadata), at: 0)
      #expect(lengths() == sent)
    }
    rig.done = rig.machine.setMetatext(String(repeating: "m", count: 1000), at: 0)
    #expect(rig.done.count == 1)
    rig.done = rig.machine.setMetatext(String(repeating: "m", count: 1001), at: 0)
    #expect(rig.sent(to: Self.bath) == [.metatext(sequence: 2, "")])
  }

  @Test func whatWouldHarmReceiversIsNotSent() {
    var rig = SenderRig()
    rig.join(Self.bath)
    for packet in [
      SenderRig.packet(samples: 961, rate: 192_000, depth: 24), SenderRig.packet(channels: 3),
      SenderRig.packet(depth: 32), SenderRig.packet(rate: 7349), SenderRig.packet(rate: 384_001),
      SenderRig.packet(bytes: 7), SenderRig.packet(samples: 0), SenderRig.packet(samples: -1, bytes: 0),
      SenderRig.packet(samples: .max, bytes: 0),
    ] {
      rig.send(packet)
      #expect(rig.done.isEmpty && rig.machine.nextFrame == 0)
    }
    let name = String(repeating: "é", count: 20)
    rig.send(SenderRig.packet(samples: 960, rate: 192_000, depth: 24, codec: name))
    #expect(rig.done.count == 1)
    rig.send(SenderRig.packet(rate: 48000, latency: .max))
    guard case .audio(let audio)? = rig.sent(to: Self.bath).first else {
      Issue.record("not sent")
      return
    }
    #expect(audio.latencyNanoseconds == 340 * SenderRig.millisecond)
  }

  @Test func itStops() {
    var rig = SenderRig()
    rig.join(Self.bath)
    rig.send()
    rig.done = rig.machine.stop(at: 0)
    #expect(rig.frames(to: Self.bath) == [1] && rig.done.last == .becameIdle && rig.done.count == 2)
    #expect(rig.machine.stop(at: 0).isEmpty && rig.machine.deadline == nil)
  }

  // MARK: Multicast

  @Test func aGroupHearsWhileAnybodyListens() {
    var rig = SenderRig(.multicast(SenderRig.group))
    rig.join(Self.bath)
    #expect(rig.done.first == .becameActive && rig.sent(to: SenderRig.group).count == 2)
    #expect(rig.machine.listeners == [SenderRig.group])
    #expect(rig.machine.isListener(Self.kitchen.address) && !rig.machine.isListener(0xc000_0207))
    rig.run(9 * SenderRig.second)
    rig.listen(Self.kitchen)
    #expect(rig.done.isEmpty)
    rig.hear(OHMMessage.leaveDatagram, from: Self.kitchen)
    #expect(rig.done.isEmpty, "others may listen")
    rig.send()
    #expect(rig.frames(to: SenderRig.group) == [0])
    rig.hear(OHMMessage.resendDatagram([0]), from: Self.kitchen)
    rig.hear(OHMMessage.resendDatagram([0]), from: Self.bath)
    #expect(rig.done.isEmpty, "all have just heard it")
    rig.run(10 * SenderRig.second)
    #expect(rig.done == [.becameIdle] && !rig.machine.isListener(Self.kitchen.address))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func anotherSenderOfOurGroupIsGivenWay(_ seed: UInt64) {
    var rig = SenderRig(.multicast(SenderRig.group), random: SeededRandom(seed: seed))
    rig.join(Self.bath)
    rig.hear(
      Wire.audio(frame: 1), from: IPv4Endpoint(address: SenderRig.here.address, port: 5000), isGroup: true)
    #expect(rig.done.isEmpty, "our own")
    rig.hear(Wire.audio(frame: 1), from: Self.kitchen)
    #expect(rig.done.isEmpty, "to us, not to the group")
    rig.hear(Wire.audio(frame: 1), from: Self.kitchen, isGroup: true)
    #expect(rig.machine.blocker == Self.kitchen.address)
    guard case .blocked(let until)? = rig.done.first else {
      Issue.record("not blocked")
      return
    }
    #expect((1500...3000).contains(until / SenderRig.millisecond))
    #expect(rig.done.last == .becameIdle && rig.machine.isBlocked && rig.machine.listeners.isEmpty)
    rig.now += SenderRig.second
    rig.join(Self.bath)
    #expect(rig.done.isEmpty)
    rig.hear(Wire.audio(frame: 2), from: Self.kitchen, isGroup: true)
    #expect(rig.done.isEmpty, "it is told once")
    #expect(rig.machine.deadline ?? 0 >= rig.now + 1500 * SenderRig.millisecond, "the other goes on")
    rig.run(3 * SenderRig.second)
    #expect(rig.done == [.unblocked] && !rig.machine.isBlocked)
    rig.listen(Self.bath)
    #expect(rig.done.first == .becameActive)
  }

  @Test func whileNobodyListensNobodyIsInTheWay() {
    var rig = SenderRig(.multicast(SenderRig.group))
    rig.hear(Wire.audio(frame: 1), from: Self.kitchen, isGroup: true)
    #expect(rig.done.isEmpty && !rig.machine.isBlocked && rig.machine.deadline == nil)
  }

  @Test func inUnicastSoundThatComesIsNoMatter() {
    var rig = SenderRig()
    rig.join(Self.bath)
    rig.hear(Wire.audio(frame: 1), from: Self.kitchen)
    #expect(rig.done.isEmpty && rig.machine.hasListeners)
  }
}
