import Glibc
import Synchronization
import Testing

@testable import Threads

@Suite struct JobThreadTests {
  /// What threads write and the test waits for.
  private final class Notes: @unchecked Sendable {
    // Safe because `list` is only used under the monitor.
    private let monitor = Monitor()
    private var list: [String] = []

    func add(_ note: String) {
      monitor.locked {
        list.append(note)
        monitor.signalAll()
      }
    }

    /// Those that there are when there are `count`, or after a minute.
    func wait(_ count: Int) -> [String] {
      let end = JobThread.time(in: .seconds(60))
      return monitor.locked {
        while list.count < count, monitor.wait(untilNanoseconds: end) {}
        return list
      }
    }
  }

  @Test func jobsAreDoneInOrderOnOneThread() {
    let notes = Notes()
    let thread = JobThread(name: "test")
    for number in 0..<100 { thread.perform { notes.add("\(number) \(pthread_self())") } }
    let done = notes.wait(100).map { $0.split(separator: " ") }
    #expect(done.map { $0[0] } == (0..<100).map { "\($0)" })
    #expect(Set(done.map { $0[1] }).count == 1)
  }

  @Test func ofDelayedJobsTheLastIsDone() {
    let notes = Notes()
    let thread = JobThread(name: "test")
    thread.perform(after: .seconds(3600)) { notes.add("never") }
    thread.perform(after: .milliseconds(1)) { notes.add("delayed") }
    #expect(notes.wait(1) == ["delayed"])
  }

  @Test func aDelayedJobIsNotDoneEarly() {
    let notes = Notes()
    let thread = JobThread(name: "test")
    let due = JobThread.time(in: .milliseconds(50))
    thread.perform(after: .milliseconds(50)) { notes.add(JobThread.now >= due ? "due" : "early") }
    thread.perform { notes.add("now") }
    #expect(notes.wait(2) == ["now", "due"])
  }

  /// What was asked for is done even if nobody has the thread any more, and then the thread ends.
  @Test func whatIsLeftIsDone() {
    let notes = Notes()
    do {
      let thread = JobThread(name: "test")
      thread.perform(after: .milliseconds(1)) { notes.add("done") }
    }
    #expect(notes.wait(1) == ["done"])
  }

  @Test func timesAreBounded() {
    #expect(JobThread.time(in: .seconds(-5)) <= JobThread.now)
    #expect(JobThread.time(in: .seconds(Int64.max)) <= JobThread.now + 86_400_000_000_000)
  }
}
