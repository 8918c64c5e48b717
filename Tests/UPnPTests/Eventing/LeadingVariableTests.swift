import NIOCore
import Testing

@testable import UPnP

/// What control points act upon is told before they act.
@Suite struct LeadingVariableTests {
  /// B is the state; shortened: N no media, S stopped, T transitioning, P playing.
  private static let leading = LeadingVariable(name: "B", passing: ["N": ["S", "T"], "P": ["T"]])

  /// A subscriber that knows this state.
  private static func rig(told state: String) throws -> PumpRig {
    var rig = PumpRig(leading: leading)
    rig.values[1].value = state
    _ = try rig.settled()
    _ = rig.advance(milliseconds: 1000)
    return rig
  }

  /// Sends at once, and has it answered.
  private static func told(_ effects: EventEffects, _ rig: inout PumpRig) -> [String] {
    for delivery in effects.send { #expect(rig.finish(delivery).send.isEmpty) }
    return effects.send.map(\.told)
  }

  /// Changes the state and returns what is told at once.
  private static func become(_ state: String, _ rig: inout PumpRig) -> [String] {
    told(rig.set("B", state), &rig)
  }

  private static func wait(_ milliseconds: Int, _ rig: inout PumpRig) -> [String] {
    told(rig.advance(milliseconds: milliseconds), &rig)
  }

  /// Kodi: SetAVTransportURI and Play on a renderer without media, then polls until it plays. It ends what it
  /// was told to be stopped.
  @Test func aFirstCastIsToldWhenItPlays() throws {
    var rig = try Self.rig(told: "N")
    #expect(Self.become("S", &rig).isEmpty)
    #expect(Self.wait(2, &rig).isEmpty)
    #expect(Self.become("T", &rig).isEmpty)
    #expect(Self.wait(29, &rig).isEmpty)
    #expect(Self.become("P", &rig) == ["1 B=P"])
    #expect(rig.pump.nextWake == nil)
  }

  /// Whoever was told that it is stopped must not go by that once Play was answered.
  @Test func aCastFromStoppedLeavesThatStateAtOnce() throws {
    var rig = try Self.rig(told: "S")
    #expect(Self.told(rig.set("A", "2"), &rig) == ["1 A=2"], "another track opens a window")
    #expect(Self.wait(2, &rig).isEmpty)
    #expect(Self.become("T", &rig) == ["2 B=T"])
    #expect(Self.wait(5, &rig).isEmpty)
    #expect(Self.become("P", &rig) == ["3 B=P"])
  }

  /// Home Assistant: Stop, SetAVTransportURI, and Play unless it was told last that it is playing.
  @Test(arguments: [0, 1, 20, 199, 200, 250])
  func aStopIsToldAtOnceHoweverShortlyAfterASeek(pause: Int) throws {
    var rig = try Self.rig(told: "P")
    #expect(Self.become("T", &rig).isEmpty, "the seek")
    if pause > 20 {
      #expect(Self.wait(20, &rig).isEmpty)
      #expect(Self.become("P", &rig).isEmpty, "and nothing has changed")
    }
    #expect(Self.wait(max(0, pause - 20), &rig).isEmpty)
    #expect(Self.become("S", &rig) == ["1 B=S"])
  }

  @Test func aLongSeekIsTold() throws {
    var rig = try Self.rig(told: "P")
    #expect(Self.become("T", &rig).isEmpty)
    #expect(rig.pump.nextWake == rig.now + .milliseconds(50))
    #expect(Self.wait(49, &rig).isEmpty)
    #expect(Self.wait(1, &rig) == ["1 B=T"])
    #expect(Self.become("P", &rig) == ["2 B=P"], "not held back by what passed")
  }

  @Test func whatNeverSettlesIsToldAllTheSame() throws {
    var rig = try Self.rig(told: "N")
    var told: [String] = []
    for state in ["S", "T", "S", "T"] {
      #expect(told.isEmpty)
      told += Self.become(state, &rig)
      told += Self.wait(20, &rig)
    }
    #expect(told == ["1 B=T"], "after 80 ms")
  }

  @Test func otherVariablesStayModerated() throws {
    var rig = try Self.rig(told: "P")
    #expect(Self.told(rig.set("A", "2"), &rig) == ["1 A=2"])
    for value in 3..<13 {
      #expect(Self.wait(10, &rig).isEmpty)
      #expect(Self.told(rig.set("A", "\(value)"), &rig).isEmpty)
    }
    #expect(rig.pump.nextWake == rig.now + .milliseconds(100))
    #expect(Self.wait(100, &rig) == ["2 A=12"])
  }

  /// They come with it, and wait again from there on.
  @Test func theLeadingVariableTakesOthersAlong() throws {
    var rig = try Self.rig(told: "P")
    #expect(Self.told(rig.set("A", "2"), &rig) == ["1 A=2"])
    #expect(Self.wait(100, &rig).isEmpty)
    #expect(Self.told(rig.set("A", "3"), &rig).isEmpty)
    #expect(Self.become("S", &rig) == ["2 A=3 B=S"])
    #expect(Self.told(rig.set("A", "4"), &rig).isEmpty)
    #expect(Self.wait(199, &rig).isEmpty)
    #expect(Self.wait(1, &rig) == ["3 A=4"])
  }

  /// Someone who lets it stop and play all the time: a few at once, then one every 80 ms.
  @Test func whoNeverRestsIsBounded() throws {
    var rig = try Self.rig(told: "P")
    var count = 0
    for number in 0..<2000 {
      count += Self.become(number.isMultiple(of: 2) ? "S" : "P", &rig).count
      count += Self.wait(1, &rig).count
    }
    #expect((40...55).contains(count), "\(count)")
  }

  @Test func aNewcomerInTheMeantimeIsToldTheTruth() throws {
    var rig = try Self.rig(told: "P")
    #expect(Self.become("T", &rig).isEmpty)
    let newcomer = try rig.subscribe()
    let first = rig.answered(newcomer)
    #expect(Self.told(first, &rig) == ["0 A=1 B=T"])
    #expect(Self.wait(10, &rig).isEmpty)
    let next = rig.set("B", "P")
    #expect(next.send.map(\.sid) == [newcomer], "the others know already")
    #expect(Self.told(next, &rig) == ["1 B=P"])
    #expect(rig.pump.nextWake == nil)
  }

  /// Whatever happens: 80 ms after a change everybody has been told of it.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func pollingAndEventsNeverDifferForLong(seed: UInt64) throws {
    var random = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func next(_ count: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % count
    }
    var rig = try Self.rig(told: "N")
    var (state, told, differs, longest) = ("N", "N", 0, 0)
    for _ in 0..<5000 {
      var sent = Self.wait(1, &rig)
      if next(20) == 0 {
        state = ["N", "S", "T", "P"][Int(next(4))]
        sent += Self.become(state, &rig)
      }
      if next(10) == 0 { sent += Self.told(rig.set("A", "\(next(5))"), &rig) }
      for message in sent {
        guard let place = message.range(of: "B=") else { continue }
        told = String(message[place.upperBound...].prefix(1))
        differs = 0
      }
      differs = told == state ? 0 : differs + 1
      longest = max(longest, differs)
    }
    #expect(longest <= 81)
  }
}

extension String {
  /// Where `text` is, without Foundation's help.
  fileprivate func range(of text: String) -> Range<Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
  }
}
