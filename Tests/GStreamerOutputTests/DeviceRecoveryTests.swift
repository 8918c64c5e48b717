import Foundation
import Testing

@testable import GStreamerOutput

/// What is done while a sound device can't be used, on a clock of the test's own.
@Suite struct DeviceRecoveryTests {
  private static func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000_000) + .milliseconds(Int(seconds * 1000))
  }

  /// Lets all quick attempts fail, from `start` on; the last answer, and when it came.
  private func exhaust(
    _ recovery: inout DeviceRecovery, _ fault: DeviceRecovery.Fault, from start: Double
  ) -> (DeviceRecovery.Step, MonotonicTime) {
    var now = Self.at(start)
    for _ in 0..<20 {
      let step = recovery.failed(fault, at: now)
      guard case .tryAgain(let time) = step else { return (step, now) }
      #expect(time > now)
      now = time
    }
    Issue.record("it tries again for ever")
    return (.giveUp, now)
  }

  @Test(arguments: [DeviceRecovery.Fault.absent, .unusable])
  func whoWasNeverHeardIsGivenUpSoon(fault: DeviceRecovery.Fault) {
    var recovery = DeviceRecovery(patience: .seconds(600))
    recovery.begin()
    let (step, now) = exhaust(&recovery, fault, from: 0)
    #expect(step == .giveUp)
    #expect(now.since(Self.at(0)) < 5_000_000_000)
    // Whoever presses Play again gets all attempts again.
    recovery.begin()
    #expect(recovery.failed(fault, at: now) == .tryAgain(at: now + .milliseconds(200)))
  }

  @Test func whoWentAwayIsWaitedFor() {
    var recovery = DeviceRecovery(patience: .seconds(600))
    recovery.begin()
    recovery.ran(at: Self.at(0))
    let (step, _) = exhaust(&recovery, .absent, from: 60)
    #expect(step == .wait(until: Self.at(660)))
    // Being plugged in gives all attempts again, within five seconds, but not more time.
    let first = recovery.cameBack(at: Self.at(300))
    #expect(first.since(Self.at(300)) <= 1_000_000_000)
    let (again, last) = exhaust(&recovery, .unusable, from: 300.2)
    #expect(again == .wait(until: Self.at(660)))
    #expect(last.since(Self.at(300)) < 5_000_000_000)
    _ = recovery.cameBack(at: Self.at(700))
    #expect(exhaust(&recovery, .absent, from: 700).0 == .giveUp)
  }

  @Test func whoIsInUseIsNotWaitedFor() {
    var recovery = DeviceRecovery(patience: .seconds(600))
    recovery.begin()
    recovery.ran(at: Self.at(0))
    #expect(exhaust(&recovery, .unusable, from: 60).0 == .giveUp)
  }

  @Test func whatBreaksAsSoonAsItRunsIsNotTriedForEver() {
    var recovery = DeviceRecovery(patience: .zero)
    recovery.begin()
    var now = Self.at(0)
    for _ in 0..<DeviceRecovery.backOff.count {
      recovery.ran(at: now)
      now = now + .seconds(1)
      guard case .tryAgain(let time) = recovery.failed(.absent, at: now) else {
        Issue.record("given up too soon")
        return
      }
      now = time
    }
    recovery.ran(at: now)
    #expect(recovery.failed(.absent, at: now + .seconds(1)) == .giveUp)
    // After a while of sound it is as good as new.
    recovery.ran(at: now)
    #expect(
      recovery.failed(.absent, at: now + .seconds(30))
        == .tryAgain(at: now + .seconds(30) + .milliseconds(200)))
  }

  @Test func newWishesBeginAnew() {
    var recovery = DeviceRecovery(patience: .seconds(600))
    recovery.begin()
    recovery.ran(at: Self.at(0))
    #expect(recovery.hasRun)
    _ = exhaust(&recovery, .absent, from: 10)
    recovery.begin()
    #expect(!recovery.hasRun)
    #expect(exhaust(&recovery, .absent, from: 1000).0 == .wait(until: Self.at(1600)))
  }
}

/// Where devices appear.
@Suite struct DevicePlacesTests {
  private func places(_ environment: [String: String]) -> DevicePlaces {
    DevicePlaces(nodes: "/dev/snd") { environment[$0] }
  }

  @Test func socketsOfServers() {
    #expect(places([:]).pulseSockets == ["/run/pulse/native"])
    let user = places(["XDG_RUNTIME_DIR": "/run/user/7"])
    #expect(user.pulseSockets == ["/run/user/7/pulse/native", "/run/pulse/native"])
    #expect(user.pipeWireSockets == ["/run/user/7/pipewire-0"])
    #expect(
      user.paths.contains(AwaitedPath(directory: "/run/user/7/pulse", name: "native"))
        && user.paths.contains(AwaitedPath(directory: "/dev/snd", name: nil)))
    #expect(places(["PULSE_SERVER": "unix:/tmp/a"]).pulseSockets == ["/tmp/a"])
    #expect(places(["PULSE_SERVER": "{0a}unix:/tmp/a /tmp/b"]).pulseSockets == ["/tmp/a", "/tmp/b"])
    #expect(!places(["PULSE_SERVER": "unix:/tmp/a"]).hasRemoteServer)
    #expect(places(["PULSE_SERVER": "tcp:host:4713"]).hasRemoteServer)
    #expect(places(["PIPEWIRE_REMOTE": "/tmp/p"]).pipeWireSockets == ["/tmp/p"])
    #expect(
      places(["PIPEWIRE_REMOTE": "pw-1", "PIPEWIRE_RUNTIME_DIR": "/run/p"]).pipeWireSockets == ["/run/p/pw-1"]
    )
  }

  @Test func nobodyAnswersWhereNothingIs() {
    #expect(!DevicePlaces.answers("/nonexistent/socket"))
    #expect(!DevicePlaces.answers(String(repeating: "x", count: 300)))
  }
}

/// Files that appear.
@Suite struct PathWatchTests {
  private let home = Fixtures.path("watch-\(UUID().uuidString.prefix(8))")

  private func watch(_ path: AwaitedPath) throws -> (PathWatch, DispatchSemaphore) {
    let appeared = DispatchSemaphore(value: 0)
    return (try #require(PathWatch([path]) { appeared.signal() }), appeared)
  }

  private func make(_ directory: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private func isTold(_ appeared: DispatchSemaphore) -> Bool {
    appeared.wait(timeout: .now() + 10) == .success
  }
  private func isSilent(_ appeared: DispatchSemaphore) -> Bool {
    appeared.wait(timeout: .now() + .milliseconds(300)) == .timedOut
  }

  @Test func anythingInADirectory() throws {
    try make(home)
    let (watch, appeared) = try watch(AwaitedPath(directory: home, name: nil))
    #expect(isSilent(appeared))
    _ = FileManager.default.createFile(atPath: home + "/pcmC0D0p", contents: nil)
    #expect(isTold(appeared))
    while appeared.wait(timeout: .now() + .milliseconds(300)) == .success {}
    chmod(home + "/pcmC0D0p", 0o660)
    #expect(isTold(appeared))
    withExtendedLifetime(watch) {}
  }

  @Test func aNamedFileInADirectoryThatComesAndGoes() throws {
    try make(home)
    let (watch, appeared) = try watch(AwaitedPath(directory: home + "/a/b", name: "native"))
    try make(home + "/other")
    #expect(isSilent(appeared))
    try make(home + "/a/b")
    #expect(isTold(appeared))
    while appeared.wait(timeout: .now() + .milliseconds(300)) == .success {}
    _ = FileManager.default.createFile(atPath: home + "/a/b/other", contents: nil)
    #expect(isSilent(appeared))
    _ = FileManager.default.createFile(atPath: home + "/a/b/native", contents: nil)
    #expect(isTold(appeared))
    try FileManager.default.removeItem(atPath: home + "/a")
    while appeared.wait(timeout: .now() + .milliseconds(300)) == .success {}
    try make(home + "/a/b")
    #expect(isTold(appeared))
    withExtendedLifetime(watch) {}
  }

  @Test func itsThreadEndsWithIt() throws {
    func threads() -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.filter {
        (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "vireo-devices\n"
      }.count
    }
    try make(home)
    var watches = try (0..<20).map { _ in try watch(AwaitedPath(directory: home, name: nil)).0 }
    let deadline = Date(timeIntervalSinceNow: 20)
    while threads() < 20, Date() < deadline { usleep(10_000) }
    #expect(threads() >= 20)
    // An optimized build would let go of them before they are counted.
    withExtendedLifetime(watches) {}
    watches = []
    // Other tests have some of their own.
    while threads() > 10, Date() < deadline { usleep(10_000) }
    #expect(threads() <= 10)
    _ = watches
  }
}
