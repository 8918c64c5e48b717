import Foundation
import Logging
import Synchronization
import Testing

@testable import vireod

enum ProcessLife {
  /// A process whose parent has died belongs to init; it may take a moment, or for ever, to be reaped there, but is
  /// dead all the same. One that was killed a moment ago still has to get a processor for that.
  static func ends(_ id: pid_t) -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return true }
      if status.contains(") Z ") || status.contains(") X ") { return true }
      usleep(10_000)
    }
    return false
  }
}

/// Runs real programs, each in a directory of its own.
@Suite struct ChildProcessTests {
  private let environment = ["VIREO_TITLE": "a \"b\"; rm $HOME\nc"]

  /// A script in `directory`; `body` comes behind the shebang.
  private func script(_ body: String, in directory: TemporaryDirectory) throws -> String {
    try directory.writeProgram("#!/bin/sh\n\(body)\n", to: "hook")
  }

  private func run(
    _ body: String, limit: Duration = .seconds(20), arguments: [String] = []
  ) throws -> (outcome: ChildProcess.Outcome, lines: [String]) {
    let directory = try TemporaryDirectory()
    let lines = Mutex<[String]>([])
    let outcome = ChildProcess.run(
      ProgramRun(command: [try script(body, in: directory)] + arguments, environment: environment),
      limit: limit, line: { line in lines.withLock { $0.append(line) } })
    return (outcome, lines.withLock { $0 })
  }

  @Test func argumentsAndEnvironmentArriveUntouched() throws {
    let result = try run("printf '%s|' \"$@\" \"$VIREO_TITLE\"", arguments: ["a b", "$(id)", ""])
    #expect(result.outcome == .exited(0))
    #expect(result.lines.joined(separator: "\n") == "a b|$(id)||a \"b\"; rm $HOME\nc|")
  }

  @Test func exitCodeAndSignalAreTold() throws {
    #expect(try run("exit 3").outcome == .exited(3))
    #expect(try run("kill -9 $$").outcome == .killed(signal: SIGKILL))
  }

  @Test func whatIsNotThereIsSaid() {
    let outcome = ChildProcess.run(
      ProgramRun(command: ["/proc/nonexistent"]), limit: .seconds(5), line: { _ in })
    #expect(outcome == .failed("No such file or directory"))
  }

  /// Ignores the polite signal, and has a child that does so too.
  @Test func theLimitEndsTheWholeGroup() throws {
    let directory = try TemporaryDirectory()
    let pids = "\(directory.path)/pids"
    let start = ContinuousClock.now
    let result = try run(
      "trap '' TERM; echo $$ >> \(pids); (trap '' TERM; sh -c 'echo $$ >> \(pids); exec sleep 600') & wait; sleep 600",
      limit: .seconds(1))
    #expect(result.outcome == .timedOut)
    #expect(ContinuousClock.now - start < .seconds(15))
    let text = try String(contentsOfFile: pids, encoding: .utf8)
    let ids = text.split(separator: "\n").compactMap { pid_t($0) }
    #expect(ids.count == 2)
    for id in ids { #expect(ProcessLife.ends(id), "process \(id) is still there") }
  }

  @Test func whatIsLeftBehindEndsWithIt() throws {
    let start = ContinuousClock.now
    let result = try run("sleep 600 & echo $!")
    #expect(result.outcome == .exited(0))
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(ProcessLife.ends(try #require(pid_t(result.lines.first ?? ""))))
  }

  @Test func outputIsBounded() throws {
    let result = try run("yes | head -c 3000000; yes | tr -d '\\n' | head -c 2000000")
    #expect(result.outcome == .exited(0))
    #expect(result.lines.count == ChildProcess.mostLines + 1)
    #expect(result.lines.allSatisfy { $0.utf8.count <= ChildProcess.longestLine })
  }

  @Test func endlessOutputDoesNotOutlastTheLimit() throws {
    let result = try run("exec yes", limit: .milliseconds(500))
    #expect(result.outcome == .timedOut)
  }

  /// Nothing of ours is inherited: no socket, no pipe, no ignored signal.
  @Test func onlyTheThreeStandardDescriptorsAreInherited() throws {
    let leak = open("/dev/null", O_RDONLY)
    defer { close(leak) }
    let result = try run("exec ls /proc/self/fd")
    // The fourth is ls's own, for the directory.
    #expect(result.lines == ["0", "1", "2", "3"])
    let signals = try run("grep SigIgn /proc/self/status")
    let mask = try #require(UInt64(signals.lines.first?.split(separator: "\t").last ?? "", radix: 16))
    // 32 and 33 belong to the C library.
    #expect(mask & 0x7fff_ffff == 0)
  }

  @Test func nothingIsLeftOfIt() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    for _ in 0..<20 { _ = try run("exit 0") }
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    // Other tests run beside this one; a leak of ours would be 20 at least.
    #expect(after < before + 20)
    // No child is left that nobody waits for: each is reaped by its own id, and there is no other.
    let children = try #require(
      try? String(contentsOfFile: "/proc/self/task/\(getpid())/children", encoding: .utf8))
    for child in children.split(separator: " ") { #expect(!isZombieScript(child)) }
  }

  private func isZombieScript(_ id: Substring) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
    return status.contains("(hook) Z ")
  }
}

@Suite struct ProgramRunTests {
  @Test func onlyWhatProgramsNeedIsInherited() {
    let run = ProgramRun(command: ["/a"], environment: ["VIREO_X": "1"])
    let all = ["PATH": "/p", "HOME": "/h", "NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "1"]
    #expect(run.variables { all[$0] } == ["HOME=/h", "PATH=/p", "VIREO_X=1"])
    #expect(run.variables { _ in nil }.contains("PATH=/usr/local/bin:/usr/bin:/bin"))
  }

  @Test func valuesFromTheNetworkAreCut() {
    let run = ProgramRun(
      command: ["/a"], environment: ["A": "x\u{0}PATH=/evil", "B": String(repeating: "y", count: 10_000)])
    let variables = run.variables { _ in nil }
    #expect(variables.contains("A=x"))
    #expect(variables.contains("B=" + String(repeating: "y", count: ProgramRun.longestValue)))
  }
}

@Suite struct ProgramQueueTests {
  /// Opening a FIFO waits for the other end, and reading for the end of what it writes.
  private func readFIFO(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 256)
    while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return text
  }

  /// A queue and a script, whose every run writes its argument to a FIFO and then does `body`.
  private func make(_ body: String, in directory: TemporaryDirectory, limit: Duration = .seconds(60)) throws
    -> (
      queue: ProgramQueue, script: String, said: String
    )
  {
    let said = "\(directory.path)/said"
    #expect(mkfifo(said, 0o600) == 0)
    let script = try directory.writeProgram("#!/bin/sh\necho \"$1\" > \(said)\n\(body)\n", to: "hook")
    return (ProgramQueue(name: "test", limit: limit, logger: Logger(label: "test")), script, said)
  }

  /// The ids that programs have noted; none of them may live any more.
  private func expectAllGone(_ path: String, count: Int) throws {
    let ids = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap {
      pid_t($0)
    }
    #expect(ids.count == count)
    for id in ids { #expect(ProcessLife.ends(id), "process \(id) is still there") }
  }

  @Test(.timeLimit(.minutes(1))) func whatIgnoresTheEndIsKilledWithAllItStarted() throws {
    let directory = try TemporaryDirectory()
    let pids = "\(directory.path)/pids"
    let (queue, script, said) = try make("exec sleep 600", in: directory)
    let stubborn = try directory.write(
      "#!/bin/sh\ntrap '' TERM\necho $$ >> \(pids)\n"
        + "(trap '' TERM; sh -c 'echo $$ >> \(pids); echo x > \(said); exec sleep 600') & wait; sleep 600\n",
      to: "stubborn")
    queue.submit(ProgramRun(command: ["/bin/sh", stubborn]))
    _ = readFIFO(said)
    queue.submit(ProgramRun(command: [script, "never"]))
    queue.close()
    queue.submit(ProgramRun(command: [script, "never"]))
    queue.wait()
    try expectAllGone(pids, count: 2)
  }

  /// What runs is in the way of the last one, which is done to its end.
  @Test(.timeLimit(.minutes(1))) func theLastOneIsDone() throws {
    let directory = try TemporaryDirectory()
    let done = "\(directory.path)/done"
    let (queue, script, said) = try make(
      "[ \"$1\" = last ] || { trap '' TERM; while :; do sleep 1; done; }\necho \"$1\" >> \(done)",
      in: directory)
    queue.submit(ProgramRun(command: [script, "stubborn"]))
    #expect(readFIFO(said) == "stubborn\n")
    queue.finish(with: ProgramRun(command: [script, "last"]))
    // The first one ends only when it is killed, which is a matter for wait().
    let reader = Foundation.Thread { _ = self.readFIFO(said) }
    reader.start()
    queue.wait()
    #expect(try String(contentsOfFile: done, encoding: .utf8) == "last\n")
  }

  /// It runs already, and nothing came after it.
  @Test(.timeLimit(.minutes(1))) func whatIsToStayIsLeftToFinish() throws {
    let directory = try TemporaryDirectory()
    let done = "\(directory.path)/done"
    let (queue, script, said) = try make("sleep 0.5; echo \"$1\" > \(done)", in: directory)
    queue.submit(ProgramRun(command: [script, "on-stop"]))
    _ = readFIFO(said)
    queue.finish(with: nil)
    queue.wait()
    #expect(try String(contentsOfFile: done, encoding: .utf8) == "on-stop\n")
  }

  @Test(.timeLimit(.minutes(1))) func theLastOneHasAnEndToo() throws {
    let directory = try TemporaryDirectory()
    let pids = "\(directory.path)/pids"
    let (queue, script, said) = try make(
      "trap '' TERM; echo $$ > \(pids); while :; do sleep 1; done", in: directory)
    queue.submit(ProgramRun(command: [script, "on-stop"]))
    _ = readFIFO(said)
    queue.finish(with: nil)
    queue.wait()
    try expectAllGone(pids, count: 1)
  }

  @Test func whereNothingRunsNothingIsWaitedFor() {
    let queue = ProgramQueue(name: "test", limit: .seconds(30), logger: Logger(label: "test"))
    queue.finish(with: nil)
    queue.wait()
    queue.close()
    queue.wait()
  }

  /// While the first runs, many come; of those only the last is run.
  @Test(.timeLimit(.minutes(1))) func onlyTheLatestWaits() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let (log, gate, begun, done) = ("\(path)/log", "\(path)/gate", "\(path)/begun", "\(path)/done")
    for fifo in [gate, begun, done] { #expect(mkfifo(fifo, 0o600) == 0) }
    let script = try directory.writeProgram(
      "#!/bin/sh\necho \"$1\" >> \(log)\n[ \"$1\" != first ] || { echo x > \(begun); read line < \(gate); }\n"
        + "[ \"$1\" != last ] || echo x > \(done)\n", to: "hook")
    let queue = ProgramQueue(name: "test", limit: .seconds(30), logger: Logger(label: "test"))
    queue.submit(ProgramRun(command: [script, "first"]))
    _ = readFIFO(begun)
    for number in 0..<50 { queue.submit(ProgramRun(command: [script, "\(number)"])) }
    queue.submit(ProgramRun(command: [script, "last"]))
    let descriptor = open(gate, O_WRONLY)
    #expect(write(descriptor, "go\n", 3) == 3)
    close(descriptor)
    _ = readFIFO(done)
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "first\nlast\n")
  }

  @Test(.timeLimit(.minutes(1))) func closingEndsWhatRuns() async throws {
    let directory = try TemporaryDirectory()
    let (begun, ended) = ("\(directory.path)/begun", "\(directory.path)/ended")
    for fifo in [begun, ended] { #expect(mkfifo(fifo, 0o600) == 0) }
    let script = try directory.writeProgram(
      "#!/bin/sh\ntrap 'echo x > \(ended); exit' TERM\necho x > \(begun)\nsleep 600 & wait\n", to: "hook")
    let queue = ProgramQueue(name: "test", limit: .seconds(30), logger: Logger(label: "test"))
    queue.submit(ProgramRun(command: [script]))
    _ = readFIFO(begun)
    queue.close()
    #expect(readFIFO(ended) == "x\n")
    queue.submit(ProgramRun(command: [script]))
  }
}
