import Foundation
import Testing

@testable import vireod

/// A datagram socket such as systemd has; `name` may begin with `@`.
private final class Receiver {
  let descriptor: Int32

  init(_ name: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if bytes[0] == 0x40 { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(2 + bytes.count)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
  }

  func receive() -> String? {
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  deinit { close(descriptor) }
}

@Suite struct SystemdNotifierTests {
  @Test func socketsInTheFileSystemAndAbstractOnesAreTold() throws {
    let directory = try TemporaryDirectory()
    for path in [directory.path + "/notify", "@vireo-test-\(getpid())"] {
      let receiver = Receiver(path)
      let notifier = try #require(SystemdNotifier(path: path))
      notifier.ready(status: "Serving\nX=1 as Kitchen")
      #expect(receiver.receive() == "READY=1\nSTATUS=Serving X=1 as Kitchen")
      notifier.alive()
      #expect(receiver.receive() == "WATCHDOG=1")
      notifier.stopping()
      #expect(receiver.receive() == "STOPPING=1")
      notifier.reloading()
      #expect(receiver.receive()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
      #expect(receiver.receive() == nil)
    }
  }

  @Test func withoutSystemdThereIsNothingToTell() throws {
    #expect(SystemdNotifier(path: nil) == nil)
    #expect(SystemdNotifier(path: "") == nil)
    #expect(SystemdNotifier(path: "relative") == nil)
    #expect(SystemdNotifier(path: "/" + String(repeating: "x", count: 200)) == nil)
    #expect(try #require(SystemdNotifier(path: "/nowhere/at/all")).send("READY=1") == false)
  }
}

@Suite struct WatchdogTests {
  @Test func systemdIsToldOnlyAfterTheOutputAnswered() {
    var watchdog = Watchdog()
    #expect(watchdog.tick() == .ask(1))
    #expect(watchdog.answered(1) == true)
    #expect(watchdog.answered(1) == false, "one question, one sign of life")
    #expect(watchdog.tick() == .ask(2))
    #expect(watchdog.answered(1) == false, "a late answer to an old question")
    #expect(watchdog.tick() == .complain)
    #expect(watchdog.tick() == .wait)
    #expect(watchdog.answered(2) == true)
    #expect(watchdog.tick() == .ask(3))
  }

  @Test func thePeriodIsHalfOfWhatSystemdAllows() {
    #expect(Watchdog.period(microseconds: "60000000", forProcess: nil, process: 7) == .seconds(30))
    #expect(Watchdog.period(microseconds: "60000000", forProcess: "7", process: 7) == .seconds(30))
    #expect(Watchdog.period(microseconds: "60000000", forProcess: "8", process: 7) == nil)
    #expect(Watchdog.period(microseconds: nil, forProcess: nil, process: 7) == nil)
    #expect(Watchdog.period(microseconds: "0", forProcess: nil, process: 7) == nil)
    #expect(Watchdog.period(microseconds: "soon", forProcess: nil, process: 7) == nil)
  }
}
