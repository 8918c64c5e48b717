import Glibc
import Synchronization
import Testing

@testable import Threads

@Suite struct JobThreadTests {
  /// What threads write and the test waits for.
  private struct Notes: Sendable {
    private let list = SharedState<[String]>([])

    func add(_ note: String) { list.change { $0.append(note) } }

    /// Those that there are when there are `count`, or after a minute.
    func wait(_ count: Int) -> [String] {
      list.wait(untilNanoseconds: JobThread.time(in: .seconds(60))) { $0.count < count ? nil : $0 }
        ?? list.withLock { $0 }
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
