import Foundation
import Glibc
import Logging
import Player
import Testing
import Threads

@testable import GStreamerOutput

/// Policies (SCHED_…) of the threads of this process whose names begin with `prefix`.
private func policies(_ prefix: String) -> [Int] {
  let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  return tasks.compactMap { task in
    guard let text = try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8),
      let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"),
      text[text.index(after: open)..<close].hasPrefix(prefix)
    else { return nil }
    // The 41st field; the third is the first behind the name.
    return Int(text[text.index(after: close)...].split(separator: " ")[38])
  }
}

@Suite(.serialized) struct DeviceThreadTests {
  @Test func theDeviceComesBeforeTheDecoder() async {
    let mayRaise = await withCheckedContinuation { done in
      Threads.Thread.start(name: "probe") {
        let granted = ThreadPriority.raise()
        ThreadPriority.restore()
        if case .realTime = granted { done.resume(returning: true) } else { done.resume(returning: false) }
      }
    }
    Fixtures.write(Fixtures.sound(frames: 88200), "priority.wav")
    let server = MediaServer()
    let recorder = Recorder("null")
    recorder.start(1, server.add("/a.wav", fixture: "priority.wav"))
    #expect(recorder.wait { $0.isPlaying } != nil)
    let (device, decoder) = (policies("appsrc"), policies("queue2"))
    // Threads that GStreamer kept from earlier devices still have the name.
    #expect(!device.isEmpty && device.count { $0 == Int(SCHED_RR) } == (mayRaise ? 1 : 0))
    #expect(!decoder.isEmpty && decoder.allSatisfy { $0 == Int(SCHED_OTHER) })
    recorder.submit(.stop, .release)
    #expect(recorder.ping())
    // The sound fades out first. GStreamer keeps its threads for whatever comes next.
    let deadline = Date(timeIntervalSinceNow: 10)
    while policies("").contains(where: { $0 != Int(SCHED_OTHER) }), Date() < deadline { usleep(10_000) }
    #expect(policies("").allSatisfy { $0 == Int(SCHED_OTHER) })
  }

  @Test func theBufferHasALevel() {
    Fixtures.write(Fixtures.sound(frames: 44100 * 3), "level.wav")
    let server = MediaServer()
    let uri = server.add("/a.wav", fixture: "level.wav")
    let output = Recorder("null")
    #expect(output.buffered == .zero)
    output.start(1, uri, paused: true)
    #expect(output.wait { $0.isPaused } != nil)
    // Silent, with all three seconds read ahead as soon as the server has sent them.
    let deadline = Date(timeIntervalSinceNow: 10)
    while output.buffered < .milliseconds(2500), Date() < deadline { usleep(10_000) }
    #expect(output.buffered >= .milliseconds(2500) && output.buffered <= .seconds(3))
    output.submit(.resume(PlayID(1)))
    #expect(output.ended(1))
    #expect(output.ping())
    #expect(output.buffered == .zero)
  }
}
