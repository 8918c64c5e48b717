import Player
import Testing

@testable import Services

@Suite struct IdArrayWindowTests {
  private func at(_ milliseconds: Int64) -> PlayerInstant {
    PlayerInstant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func encodesOnceAWindow() {
    var window = IdArrayWindow()
    var encoded: [UInt32] = []
    func text(_ token: UInt32, _ time: Int64) -> String {
      window.text(token: token, now: at(time)) {
        encoded.append(token)
        return "\(token)"
      }
    }
    #expect(text(1, 0) == "1")
    for token in UInt32(2)...290 { #expect(text(token, Int64(token)) == "1") }
    #expect(window.nextChange(token: 290, now: at(290)) == .milliseconds(10))
    #expect(text(290, 299) == "1")
    #expect(text(290, 300) == "290")
    #expect(window.nextChange(token: 290, now: at(301)) == nil)
    #expect(text(290, 10_000) == "290")
    #expect(text(291, 10_001) == "291")
    #expect(encoded == [1, 290, 291])
  }

  @Test func aChangeBackIsNoChange() {
    var window = IdArrayWindow()
    #expect(window.nextChange(token: 5, now: at(0)) == nil)
    #expect(window.text(token: 5, now: at(0)) { "five" } == "five")
    #expect(window.nextChange(token: 6, now: at(100)) == .milliseconds(200))
    #expect(window.nextChange(token: 6, now: at(900)) == .zero)
    #expect(window.nextChange(token: 5, now: at(100)) == nil)
  }
}
