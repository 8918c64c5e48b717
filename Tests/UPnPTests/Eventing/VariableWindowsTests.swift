import NIOCore
import Testing

@testable import UPnP

@Suite struct VariableWindowsTests {
  private func at(_ milliseconds: Int64) -> NIODeadline {
    .uptimeNanoseconds(1_000_000_000) + .milliseconds(milliseconds)
  }

  @Test func aVariableIsReadOnceAWindow() {
    var windows = VariableWindows(["A": .milliseconds(300)])
    var computed: [Int] = []
    func read(_ value: Int, _ time: Int64) -> String {
      let held = windows.held(now: at(time))["A"]
      if held == nil { computed.append(value) }
      let shown = held ?? "\(value)"
      windows.note([.init(name: "A", value: shown), .init(name: "B", value: "\(value)")], now: at(time))
      return shown
    }
    #expect(read(1, 0) == "1")
    #expect(windows.wake == nil, "nothing waits")
    for value in 2...290 { #expect(read(value, Int64(value)) == "1") }
    #expect(windows.wake == at(300))
    #expect(read(290, 299) == "1")
    #expect(read(290, 300) == "290")
    #expect(windows.wake == nil)
    #expect(read(290, 10_000) == "290")
    #expect(read(291, 10_001) == "291", "what didn't change opens no window")
    #expect(computed == [1, 290, 290, 291])
  }

  @Test func othersAreNotHeld() {
    var windows = VariableWindows(["A": .milliseconds(300), "B": .milliseconds(100)])
    windows.note([.init(name: "A", value: "1"), .init(name: "B", value: "1")], now: at(0))
    #expect(windows.held(now: at(50))["A"] == "1" && windows.held(now: at(50))["B"] == "1")
    #expect(windows.held(now: at(100))["A"] == "1" && windows.held(now: at(100))["B"] == nil)
    #expect(windows.held(now: at(50))["C"] == nil)
    windows.note([.init(name: "A", value: "1"), .init(name: "B", value: "1")], now: at(50))
    #expect(windows.wake == at(100), "the first window that ends")
    windows.cancelWake()
    #expect(windows.wake == nil)
  }

  /// In the pump: the other variables are sent at once, and the moderated one at the end of its window.
  @Test func aBurstIsFewEvents() throws {
    var rig = PumpRig(moderation: .zero, variables: ["A": .milliseconds(300)])
    func told(_ effects: EventEffects) -> [String] {
      for delivery in effects.send { #expect(rig.finish(delivery).send.isEmpty) }
      return effects.send.map(\.told)
    }
    _ = try rig.settled()
    #expect(told(rig.advance(milliseconds: 300)) == [])
    #expect(told(rig.set("A", "2")) == ["1 A=2"], "the first change at once")
    for value in 3...20 {
      _ = rig.advance(milliseconds: 10)
      #expect(told(rig.set("A", "\(value)")) == [])
    }
    #expect(told(rig.set("B", "y")) == ["2 B=y"], "others aren't moderated")
    #expect(rig.pump.nextWake == rig.now + .milliseconds(120))
    #expect(told(rig.advance(milliseconds: 120)) == ["3 A=20"])
    #expect(rig.pump.nextWake == nil)
  }

  /// A window that ends while all variables wait for something else must not be due again and again.
  @Test func aWindowThatEndsWhileAllWaitIsNotDueAgain() throws {
    var rig = PumpRig(moderation: .milliseconds(200), variables: ["A": .milliseconds(300)])
    let first = rig.answered(try rig.subscribe())
    for delivery in first.send { _ = rig.finish(delivery) }
    _ = rig.advance(milliseconds: 250)
    _ = rig.set("A", "2")
    for delivery in rig.set("B", "y").send { _ = rig.finish(delivery) }
    #expect(rig.pump.nextWake == rig.now + .milliseconds(50), "the end of A's window")
    _ = rig.advance(milliseconds: 50)
    #expect(rig.pump.nextWake == rig.now + .milliseconds(150), "the end of the pause between two events")
    #expect(rig.advance(milliseconds: 150).send.map(\.told) == ["2 A=2"])
  }

  /// The same with a transient value of the leading variable, which holds back everything.
  @Test func aWindowThatEndsWhileATransientValueIsHeldBackIsNotDueAgain() throws {
    var rig = PumpRig(
      moderation: .zero, leading: LeadingVariable(name: "B", passing: ["x": ["y"]]),
      variables: ["A": .milliseconds(300)])
    _ = try rig.settled()
    _ = rig.advance(milliseconds: 290)
    _ = rig.set("A", "2")
    #expect(rig.pump.nextWake == rig.now + .milliseconds(10), "the end of A's window")
    #expect(rig.set("B", "y").send.isEmpty)
    let end = rig.now + EventTiming.patience
    #expect(rig.pump.nextWake == end)
    _ = rig.advance(milliseconds: 10)
    #expect(rig.pump.nextWake == end)
    #expect(rig.advance(milliseconds: 40).send.map(\.told) == ["1 A=2 B=y"])
  }

  @Test func aChangeBackIsNoChange() throws {
    var rig = PumpRig(moderation: .zero, variables: ["A": .milliseconds(300)])
    _ = try rig.settled()
    _ = rig.set("A", "2")
    _ = rig.advance(milliseconds: 100)
    _ = rig.set("A", "1")
    #expect(rig.advance(milliseconds: 200).send.isEmpty)
    #expect(rig.pump.nextWake == nil)
  }

  /// A newcomer is sent what the others know, and the rest with them.
  @Test func aNewcomerWithinTheWindowIsToldTheRestAtItsEnd() throws {
    var rig = PumpRig(moderation: .zero, variables: ["A": .milliseconds(300)])
    _ = try rig.settled()
    _ = rig.set("A", "2")
    let newcomer = try rig.subscribe()
    let first = rig.answered(newcomer)
    #expect(first.send.map(\.told) == ["0 A=1 B=x"])
    for delivery in first.send { _ = rig.finish(delivery) }
    #expect(rig.advance(milliseconds: 300).send.map(\.told) == ["1 A=2", "1 A=2"])
  }

  @Test func theDescriptionSaysWhatIsModerated() {
    let whole = ServiceEventing(FakeService(moderation: .milliseconds(200)))
    #expect(whole.moderation == .milliseconds(200) && whole.variables.isEmpty)
    let single = ServiceEventing(FakeService(eventing: .properties, moderation: .milliseconds(300)))
    #expect(single.moderation == .zero && single.variables == ["LastChange": .milliseconds(300)])
  }
}
