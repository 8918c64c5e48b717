import SeededRandom
import Testing

@testable import Rooms

/// The receiver, with senders that are played here.
@Suite struct ReceiverMachineTests {
  static let second: Int64 = 1_000_000_000
  static let millisecond: Int64 = 1_000_000
  static let here = IPv4Link(address: 0x0a00_0001, prefix: 24)
  static let sender = IPv4Endpoint(address: 0x0a00_0002, port: 5000)
  static let other = IPv4Endpoint(address: 0x0a00_0003, port: 5001)
  static let stranger = IPv4Endpoint(address: 0xc000_0207, port: 5000)

  /// A receiver and its clock.
  struct Rig {
    var machine: ReceiverMachine
    var now: Int64 = 0
    var done: [ReceiverAction] = []

    init(_ uri: String = "ohu://10.0.0.2:5000", seed: UInt64 = 1) throws {
      machine = ReceiverMachine(
        uri: try #require(SongcastURI(uri)), links: [here], random: SeededRandom(seed: seed))
      done = machine.start(at: 0)
    }

    /// What is done by then.
    mutating func run(_ duration: Int64) {
      let end = now + duration
      done = []
      while let due = machine.deadline, due <= end {
        now = max(now, due)
        done += machine.timePassed(at: now)
      }
      now = end
    }

    mutating func hear(
      _ datagram: [UInt8], from source: IPv4Endpoint = sender, on socket: ReceiverMachine.Socket = .stream
    ) {
      done = machine.receive(datagram, from: source, on: socket, arrival: now, at: now)
    }

    mutating func join() {
      hear(Wire.track(1))
      hear(Wire.metatext(""))
    }

    func count(_ datagram: [UInt8]) -> Int { done.filter { $0 == .sendToStream(datagram) }.count }
    var frames: [UInt32] {
      done.compactMap { if case .audio(let audio, _) = $0 { audio.frame } else { nil } }
    }
  }

  /// Another receiver may pass the sound on, but nobody breaks in.
  @Test func whileTheSenderSendsNobodyElseIsHeard() throws {
    var rig = try Rig()
    rig.join()
    rig.hear(Wire.audio(frame: 1))
    #expect(rig.frames == [1])
    rig.hear(Wire.audio(frame: 2), from: Self.other)
    #expect(rig.frames == [])
    rig.now += 100 * Self.millisecond
    rig.hear(Wire.audio(frame: 3), from: Self.other)
    #expect(rig.frames == [])
    rig.now += 150 * Self.millisecond
    rig.hear(Wire.audio(frame: 3), from: Self.other)
    #expect(rig.frames == [3], "now it is passed on")
    rig.hear(Wire.audio(frame: 4))
    #expect(rig.frames == [4])
  }

  @Test func nothingIsSentToWhoIsNoNeighbour() throws {
    var rig = try Rig("ohu://192.0.2.7:53")
    #expect(rig.done == [.openStream(.unicast(Self.stranger.at(53)))])
    rig.run(10 * Self.second)
    #expect(rig.done.allSatisfy { if case .sendToStream = $0 { false } else { true } })
    rig.machine.links.append(IPv4Link(address: 0xc000_0201, prefix: 24))
    rig.done = rig.machine.networkChanged(at: rig.now)
    #expect(rig.count(OHMMessage.joinDatagram) == 1, "now it is one")
  }

  @Test func thatNobodyAnswersIsToldOnce() throws {
    for uri in ["ohu://10.0.0.2:5000", "ohz://239.255.255.250:51972/nobody"] {
      var rig = try Rig(uri)
      rig.run(60 * Self.second)
      #expect(rig.done.filter { $0 == .unanswered }.count == 1)
    }
  }

  /// It asks for its zone and for its sound, and says it for both together.
  @Test func aSenderThatHasGoneIsMissedOnce() throws {
    var rig = try Rig("ohz://239.255.255.250:51972/room")
    func missed() -> Int { rig.done.filter { $0 == .unanswered }.count }
    for round in 1...2 {
      rig.hear(Wire.zone("room", "ohu://10.0.0.2:5000"), on: .zones)
      rig.hear(Wire.track(1))
      rig.hear(Wire.audio(frame: UInt32(round)))
      rig.run(60 * Self.second)
      #expect(missed() == 1, "round \(round)")
    }
  }

  @Test(arguments: ["ohm://239.255.255.250:1900", "ohm://224.0.0.251:5353", "ohu://224.0.0.251:5353"])
  func otherGroupsArentJoined(_ uri: String) { #expect(SongcastURI(uri) == nil) }

  @Test func itJoinsUntilTrackAndTextHaveCome() throws {
    var rig = try Rig()
    #expect(rig.done == [.openStream(.unicast(Self.sender)), .sendToStream(OHMMessage.joinDatagram)])
    rig.run(Self.second)
    #expect(rig.count(OHMMessage.joinDatagram) == 3, "every 300 ms")
    rig.hear(Wire.track(1))
    #expect(rig.done == [.track(uri: "http://a/b", metadata: "<x/>")])
    rig.run(Self.second)
    #expect(rig.count(OHMMessage.joinDatagram) > 0, "the text is missing")
    rig.hear(Wire.metatext(""))
    rig.run(10 * Self.second)
    #expect(rig.count(OHMMessage.joinDatagram) == 0)
    #expect((4...8).contains(rig.count(OHMMessage.listenDatagram)), "the sender would forget it")
  }

  @Test func aSenderThatIsAwayIsAskedLessAndLess() throws {
    var rig = try Rig()
    rig.run(600 * Self.second)
    #expect(rig.count(OHMMessage.joinDatagram) < 180)
  }

  @Test func aTrackIsToldOnce() throws {
    var rig = try Rig()
    rig.join()
    rig.hear(Wire.track(1, metadata: "<y/>"))
    #expect(rig.done.isEmpty)
    rig.hear(Wire.track(2, metadata: "<y/>"))
    #expect(rig.done == [.track(uri: "http://a/b", metadata: "<y/>")])
    rig.hear(Wire.metatext("song"))
    #expect(rig.done == [.metatext("song")])
    rig.hear(Wire.metatext("song"))
    #expect(rig.done.isEmpty)
  }

  @Test func missingFramesAreAskedForAndTakenOnce() throws {
    var rig = try Rig()
    rig.join()
    rig.hear(Wire.audio(frame: 10))
    #expect(rig.done.first == .beginAnew && rig.frames == [10])
    rig.hear(Wire.audio(frame: 13))
    #expect(rig.frames == [13])
    rig.run(50 * Self.millisecond)
    #expect(rig.count(OHMMessage.resendDatagram([11, 12])) >= 1)
    rig.hear(Wire.audio(frame: 12, flags: 8))
    #expect(rig.frames == [12])
    rig.hear(Wire.audio(frame: 12, flags: 8))
    #expect(rig.frames == [])
    rig.run(50 * Self.millisecond)
    #expect(rig.count(OHMMessage.resendDatagram([11])) >= 1)
    rig.run(Self.second)
    #expect(rig.done.contains(.lost(1)), "nobody has it any more")
    rig.hear(Wire.audio(frame: 14))
    rig.run(100 * Self.millisecond)
    #expect(!rig.done.contains { if case .sendToStream(let sent) = $0 { sent[5] == 7 } else { false } })
  }

  @Test func aFrameThatComesTwiceIsTakenOnceAndASenderThatBeginsAgainIsHeard() throws {
    var rig = try Rig()
    rig.join()
    for frame in 0..<20 as Range<UInt32> { rig.hear(Wire.audio(frame: frame, start: UInt64(frame))) }
    rig.hear(Wire.audio(frame: 19, start: 19))
    #expect(rig.done.isEmpty, "doubled by the network")
    rig.hear(Wire.audio(frame: 0, start: 500))
    #expect(rig.done.first == .beginAnew && rig.frames == [0])
    rig.hear(Wire.audio(frame: 1, start: 501))
    #expect(rig.frames == [1])
    rig.hear(Wire.audio(frame: 300, start: 600))
    #expect(rig.done.first == .beginAnew, "a large gap isn't repaired")
  }

  @Test func aHaltIsWaitedOutAndSilenceIsNoticed() throws {
    var rig = try Rig()
    rig.join()
    rig.hear(Wire.audio(frame: 0))
    rig.hear(Wire.audio(frame: 1, flags: 1))
    #expect(rig.done.last == .halted)
    rig.run(60 * Self.second)
    #expect(rig.count(OHMMessage.joinDatagram) == 0 && !rig.done.contains(.halted))
    rig.hear(Wire.audio(frame: 2))
    #expect(rig.done.first == .beginAnew && rig.frames == [2])
    rig.run(2 * Self.second)
    #expect(rig.done.contains(.halted), "the sender has gone")
    #expect(rig.count(OHMMessage.joinDatagram) > 0)
  }

  @Test func zonesAreAskedAndFollowed() throws {
    var rig = try Rig("ohz://239.255.255.250:51972/kitchen")
    #expect(rig.done.first == .openZones)
    rig.run(10 * Self.second)
    let query = ReceiverAction.sendToZones(OHZMessage.queryDatagram(zone: "kitchen"))
    #expect((6...14).contains(rig.done.filter { $0 == query }.count))
    rig.hear(Wire.zone("bath", "ohu://10.0.0.3:5001"), on: .zones)
    #expect(rig.done.isEmpty, "another zone")
    rig.hear(Wire.zone("kitchen", "ohu://192.0.2.7:5001"), on: .zones)
    rig.hear(Wire.zone("kitchen", "ohm://239.1.2.3:5001"), on: .zones)
    #expect(rig.done.isEmpty, "neither on our network nor a group of Songcast")
    rig.hear(Wire.zone("kitchen", "ohu://10.0.0.2:5000"), on: .zones)
    #expect(rig.done.first == .openStream(.unicast(Self.sender)))
    rig.run(10 * Self.second)
    #expect(!rig.done.contains(query), "it is known")
    rig.hear(Wire.zone("kitchen", "ohm://239.253.0.9:51970"), on: .zones)
    #expect(rig.done.first == .sendToStream(OHMMessage.leaveDatagram))
    #expect(rig.done.contains(.openStream(.multicast(IPv4Endpoint(address: 0xeffd_0009, port: 51970)))))
    rig.hear(Wire.zone("kitchen", "ohu://0.0.0.0:0"), on: .zones)
    #expect(rig.done == [.closeStream], "a group needs no goodbye")
  }

  @Test func onlyItsSenderMakesItForwardAndOnlyToNeighbours() throws {
    var rig = try Rig()
    rig.join()
    let me = IPv4Endpoint(address: Self.here.address, port: 6000)
    let low = IPv4Endpoint(address: Self.other.address, port: 53)
    let list = Wire.slaves([me, low, Self.stranger, Self.other, Self.other, Self.other])
    rig.hear(list, from: Self.other)
    rig.hear(Wire.audio(frame: 0))
    #expect(!rig.done.contains { if case .forward = $0 { true } else { false } })
    rig.hear(list)
    let audio = Wire.audio(frame: 1)
    rig.hear(audio)
    #expect(rig.done.contains(.forward(audio, [Self.other])), "the first four, as far as they are neighbours")
  }

  @Test func strangersAreNotHeard() throws {
    var rig = try Rig()
    rig.join()
    rig.hear(Wire.audio(frame: 0), from: Self.stranger)
    #expect(rig.done.isEmpty)
    rig.hear(Wire.audio(frame: 0), from: Self.other)
    #expect(rig.frames == [0], "another receiver may pass it on")
  }

  /// Whatever comes, it leaves once for each stream, doesn't spin, and keeps little.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func anythingMayHappen(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var rig = try Rig("ohz://239.255.255.250:51972/z", seed: seed)
    var (opened, closed, left) = (0, 0, 0)
    func note(_ actions: [ReceiverAction]) {
      for action in actions {
        switch action {
        case .openStream: opened += 1
        case .closeStream: closed += 1
        case .sendToStream(OHMMessage.leaveDatagram): left += 1
        default: break
        }
      }
    }
    var frame: UInt32 = 0
    for _ in 0..<2000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        rig.hear(Wire.zone("z", "ohu://10.0.0.\(Int.random(in: 2...4, using: &random)):5000"), on: .zones)
      case 1: rig.hear(Wire.zone("z", "ohu://0.0.0.0:0"), on: .zones)
      case 2: rig.join()
      case 3:
        frame = UInt32.random(in: 0...(.max), using: &random)
        rig.hear(Wire.audio(frame: frame))
      case 4: rig.hear(Wire.slaves([Self.other]))
      case 5:
        rig.now += Int64.random(in: 0...3_000_000_000, using: &random)
        let before = rig.now
        var steps = 0
        while let due = rig.machine.deadline, due <= before, steps < 100 {
          note(rig.machine.timePassed(at: before))
          steps += 1
        }
        #expect(steps < 10, "it spins")
        rig.done = []
      default:
        frame &+= UInt32(Int.random(in: 1...5, using: &random))
        rig.hear(Wire.audio(frame: frame, flags: UInt8.random(in: 0...15, using: &random)))
      }
      note(rig.done)
      #expect(opened - closed == 0 || opened - closed == 1)
      #expect(left == closed)
    }
    note(rig.machine.stop(at: rig.now))
    #expect(opened == closed && left == closed && rig.machine.deadline == nil)
  }
}

extension IPv4Endpoint {
  fileprivate func at(_ port: UInt16) -> IPv4Endpoint { IPv4Endpoint(address: address, port: port) }
}
