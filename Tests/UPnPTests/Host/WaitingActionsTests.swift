import Network
import Testing

@testable import UPnP

@Suite struct WaitingActionsTests {
  private func address(_ number: Int) -> IPAddress { .v4(0xc000_0200 + UInt32(number)) }

  /// How many of so many actions may begin, of the addresses that `address` gives them.
  private func begin(_ waiting: inout WaitingActions, _ count: Int, _ address: (Int) -> IPAddress) -> Int {
    (0..<count).reduce(0) { begun, number in begun + (waiting.begin(address(number)) ? 1 : 0) }
  }

  @Test func oneAddressLeavesRoomForOthers() {
    var waiting = WaitingActions()
    #expect(begin(&waiting, 100) { _ in address(1) } == WaitingActions.mostOfAddress)
    #expect(begin(&waiting, 1) { _ in address(2) } == 1)
    waiting.end(address(1))
    #expect(begin(&waiting, 2) { _ in address(1) } == 1)
  }

  @Test func allTogetherAreBounded() {
    var waiting = WaitingActions()
    #expect(begin(&waiting, 200, address) == WaitingActions.most)
    for number in 0..<200 { waiting.end(address(number)) }
    #expect(begin(&waiting, 200, address) == WaitingActions.most, "what has ended isn't counted")
  }
}
