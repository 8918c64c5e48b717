import Foundation
import Glibc
import Testing

@testable import Threads

@_silgen_name("capget") private func capget(
  _ header: UnsafeMutableRawPointer, _ sets: UnsafeMutableRawPointer
)
  -> CInt
@_silgen_name("capset") private func capset(
  _ header: UnsafeMutableRawPointer, _ sets: UnsafeMutableRawPointer
)
  -> CInt

/// What one thread of its own found.
private func onAThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { done in
    Threads.Thread.start(name: "priority") { done.resume(returning: body()) }
  }
}

private struct Scheduling: Sendable, Equatable {
  var policy: CInt
  var nice: CInt

  /// SCHED_RESET_ON_FORK isn't of interest.
  static var now: Scheduling {
    Scheduling(
      policy: sched_getscheduler(0) & 0xff, nice: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
  }
}

@Suite(.serialized) struct ThreadPriorityTests {
  @Test func whatIsAllowedIsGivenAndGivenBack() async {
    let (ordinary, granted, raised, restored) = await onAThread {
      let ordinary = Scheduling.now
      let granted = ThreadPriority.raise()
      let raised = Scheduling.now
      ThreadPriority.restore()
      return (ordinary, granted, raised, Scheduling.now)
    }
    switch granted {
    case .realTime: #expect(raised.policy == SCHED_RR)
    case .nice(let value): #expect(raised == Scheduling(policy: SCHED_OTHER, nice: value))
    case .ordinary: #expect(raised == ordinary)
    }
    #expect(restored == ordinary)
    // Whoever may schedule as he likes gets it.
    if getuid() == 0,
      await onAThread({ sched_setscheduler(0, SCHED_RR, [sched_param(sched_priority: 1)]) }) == 0
    {
      #expect(granted == .realTime(10))
    }
  }

  @Test func threadsThatItStartsAreOrdinary() async {
    let heir: Scheduling = await withCheckedContinuation { done in
      Threads.Thread.start(name: "priority") {
        _ = ThreadPriority.raise()
        Threads.Thread.start(name: "heir") { done.resume(returning: .now) }
      }
    }
    #expect(heir.policy == SCHED_OTHER && heir.nice >= 0)
  }

  @Test func withoutPermissionNothingChanges() async {
    var before = (rlimit(), rlimit())
    let (realTime, nice) = (
      __rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), __rlimit_resource_t(__RLIMIT_NICE.rawValue)
    )
    getrlimit(realTime, &before.0)
    getrlimit(nice, &before.1)
    var none = (
      rlimit(rlim_cur: 0, rlim_max: before.0.rlim_max), rlimit(rlim_cur: 0, rlim_max: before.1.rlim_max)
    )
    setrlimit(realTime, &none.0)
    setrlimit(nice, &none.1)
    defer {
      setrlimit(realTime, &before.0)
      setrlimit(nice, &before.1)
    }
    let (granted, ordinary, after) = await onAThread {
      // Capabilities belong to the thread; without CAP_SYS_NICE root is as anybody.
      var header: [UInt32] = [0x2008_0522, 0]
      var sets = [UInt32](repeating: 0, count: 6)
      _ = capget(&header, &sets)
      sets[0] &= ~(1 << 23)
      _ = capset(&header, &sets)
      let ordinary = Scheduling.now
      return (ThreadPriority.raise(), ordinary, Scheduling.now)
    }
    #expect(granted == .ordinary)
    #expect(after == ordinary)
  }
}
