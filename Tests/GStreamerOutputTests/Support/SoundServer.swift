import Foundation
import Glibc
import Testing

/// A PulseAudio of our own behind a private socket, with silent loudspeakers that come and go.
final class SoundServer {
  private let environment: [String]
  private let server: String

  /// Ends a test as failed where PulseAudio isn't installed or doesn't start.
  init() throws {
    try Fixtures.need("pulseaudio", "pactl")
    // A new place each time: the one before may still be clearing up.
    let home = Fixtures.path("pulse-\(UUID().uuidString.prefix(8))")
    try? FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    server = "unix:\(home)/socket"
    environment = [
      "-u", "DISPLAY", "HOME=\(home)", "XDG_RUNTIME_DIR=\(home)", "XDG_CONFIG_HOME=\(home)",
      "PULSE_RUNTIME_PATH=\(home)", "PULSE_STATE_PATH=\(home)", "PULSE_COOKIE=\(home)/cookie",
    ]
    setenv("PULSE_SERVER", server, 1)
    setenv("PULSE_COOKIE", "\(home)/cookie", 1)
    try #require(start(), "PulseAudio doesn't start")
  }

  /// Runs it again after ``stop()``, without any loudspeaker.
  func start() -> Bool {
    // It comes back when it is ready, and goes when nobody has spoken to it for long.
    let isRunning = run(
      "pulseaudio", "-n", "--daemonize=yes", "--use-pid-file=no", "--exit-idle-time=60", "--log-target=null",
      "-L", "module-native-protocol-unix socket=\(server.dropFirst(5)) auth-anonymous=1")
    return isRunning && run("pactl", "-s", server, "info")
  }

  /// Ends it; what plays is cut off.
  func stop() {
    _ = run("pactl", "-s", server, "exit")
  }

  /// Makes a loudspeaker named `name`.
  func plug(_ name: String) -> Bool {
    run("pactl", "-s", server, "load-module", "module-null-sink", "sink_name=\(name)")
  }

  /// Takes all loudspeakers away; what plays on them is cut off.
  func unplug() -> Bool {
    run("pactl", "-s", server, "unload-module", "module-null-sink")
  }

  deinit {
    unsetenv("PULSE_SERVER")
    unsetenv("PULSE_COOKIE")
    stop()
  }

  private func run(_ arguments: String...) -> Bool {
    Fixtures.run(environment + arguments)
  }
}
