import NIOCore
import Network
import SeededRandom
import Testing

@testable import HTTP

@Suite struct AddressListenersTests {
  private typealias Action = AddressListeners.Action

  private let first = IPAddress.v4(0xc000_0201)
  private let second = IPAddress.v4(0xc000_0202)

  /// Calls a mutating function inside an expectation.
  private func of(_ listeners: inout AddressListeners, _ call: (inout AddressListeners) -> [Action])
    -> [Action]
  {
    call(&listeners)
  }

  private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

  @Test func itFollowsTheAddresses() {
    var listeners = AddressListeners()
    #expect(listeners.isReachable && listeners.wake == nil)
    #expect(of(&listeners, { $0.set([second, first]) }) == [.open(first), .open(second)])
    #expect(of(&listeners, { $0.set([first, second]) }) == [])
    #expect(of(&listeners, { $0.opened(first) }) == [])
    #expect(of(&listeners, { $0.opened(second) }) == [])
    #expect(of(&listeners, { $0.set([second]) }) == [.close(first)])
    #expect(of(&listeners, { $0.set([first, second]) }) == [.open(first)])
    // It went while it was being opened.
    #expect(of(&listeners, { $0.set([second]) }) == [])
    #expect(of(&listeners, { $0.opened(first) }) == [.close(first)])
    #expect(listeners.wake == nil, "nothing runs while all is well")
  }

  @Test func aTakenPortIsToldOnceAndTriedLessAndLessOften() {
    var listeners = AddressListeners()
    _ = listeners.set([first])
    var now = time(0)
    #expect(of(&listeners, { $0.failed(first, now: now) }) == [.tellFailure(first)])
    #expect(!listeners.isReachable)
    var pauses: [Int64] = []
    for _ in 0..<20 {
      let wake = listeners.wake ?? .distantFuture
      pauses.append((wake - now).nanoseconds / 1_000_000_000)
      #expect(of(&listeners, { $0.woken(now: wake - .nanoseconds(1)) }) == [])
      now = wake
      #expect(of(&listeners, { $0.woken(now: now) }) == [.open(first)])
      #expect(listeners.wake == nil, "while it is tried")
      #expect(of(&listeners, { $0.failed(first, now: now) }) == [], "told once")
    }
    #expect(pauses.prefix(5) == [5, 10, 20, 40, 60] && pauses.last == 60)
    _ = listeners.woken(now: listeners.wake ?? now)
    #expect(of(&listeners, { $0.opened(first) }) == [.tellSuccess(first)])
    #expect(listeners.isReachable && listeners.wake == nil)
  }

  @Test func oneFreeAddressIsEnough() {
    var listeners = AddressListeners()
    _ = listeners.set([first, second])
    _ = listeners.failed(first, now: time(0))
    #expect(listeners.isReachable)
    _ = listeners.opened(second)
    #expect(listeners.isReachable)
    #expect(of(&listeners, { $0.set([first]) }) == [.close(second)])
    #expect(!listeners.isReachable)
    #expect(of(&listeners, { $0.set([]) }) == [])
    #expect(listeners.isReachable && listeners.wake == nil, "nothing is tried where there is no address")
  }

  /// Against a model of the sockets, whatever happens in whatever order.
  @Test func randomNetworks() {
    for seed in 0..<200 {
      var random = SeededRandom(seed: UInt64(seed))
      var listeners = AddressListeners()
      let all = (0..<4).map { IPAddress.v4(0xc000_0200 + $0) }
      var (wanted, taken): (Set<IPAddress>, Set<IPAddress>) = ([], [])
      var opening: [IPAddress] = []
      var sockets: [IPAddress: Int] = [:]
      var now = time(0)
      func apply(_ actions: [Action]) {
        for action in actions {
          switch action {
          case .open(let address): opening.append(address)
          case .close(let address): sockets[address, default: 0] -= 1
          case .tellFailure, .tellSuccess: break
          }
        }
      }
      func finish() {
        guard let address = opening.indices.randomElement(using: &random).map({ opening.remove(at: $0) })
        else { return }
        if taken.contains(address) || sockets[address, default: 0] > 0 {
          apply(listeners.failed(address, now: now))
        } else {
          sockets[address] = 1
          apply(listeners.opened(address))
        }
      }
      for _ in 0..<300 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          wanted = Set(all.filter { _ in Bool.random(using: &random) })
          apply(listeners.set(wanted))
        case 1: taken = Set(all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        case 2:
          now = now + .seconds(Int64.random(in: 0...90, using: &random))
          apply(listeners.woken(now: now))
        default: finish()
        }
      }
      taken = []
      for _ in 0..<50 {
        while !opening.isEmpty { finish() }
        guard let wake = listeners.wake else { break }
        now = max(now, wake)
        apply(listeners.woken(now: now))
      }
      #expect(Set(sockets.filter { $0.value == 1 }.keys) == wanted, "seed \(seed)")
      #expect(sockets.values.allSatisfy { $0 == 0 || $0 == 1 }, "seed \(seed)")
    }
  }
}
