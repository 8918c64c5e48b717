import CALSA
import Glibc
import Logging
import Player
import Threads

/// Makes the volume with a control of a sound card.
///
/// Opened anew for every change, on a thread that lasts as long as that takes: a card may come and go, and an open one
/// would wake us for whatever others change.
// Safe to share: what changes is used under `monitor` only.
final class ALSAMixer: Mixer, @unchecked Sendable {
  private struct Level {
    /// 1/100 dB, at most 0.
    var centibels: Int
    /// 0...100
    var step: Int32
    var isMuted: Bool
  }

  private let control: String
  private let card: String
  private let logger: Logger
  private let monitor = Monitor()
  private var waiting: Level?
  private var isRunning = false
  private var hasComplained = false

  init(control: String, card: String, logger: Logger) {
    self.control = control
    self.card = card
    self.logger = logger
  }

  func apply(_ volume: Volume) {
    let decibels = Double(volume.decibels(of: .master)) / 256
    let level = Level(
      centibels: Int((decibels * 100).rounded()), step: Int32(volume.step(of: .master)),
      isMuted: volume.isMuted(.master) || volume.step(of: .master) == 0)
    monitor.locked {
      waiting = level
      if !isRunning { isRunning = Thread.start(name: "vireo-mixer") { self.work() } }
    }
  }

  /// Waits for what is on its way, but not for a card that hangs.
  func close() {
    let deadline = JobThread.time(in: .milliseconds(200))
    monitor.locked {
      while isRunning, monitor.wait(untilNanoseconds: deadline) {}
    }
  }

  private func next() -> Level? {
    monitor.locked {
      defer { waiting = nil }
      if waiting == nil {
        isRunning = false
        monitor.signalAll()
      }
      return waiting
    }
  }

  private func work() {
    while let level = next() { set(level) }
  }

  private func set(_ level: Level) {
    var error: Int32 = 0
    if let mixer = calsa_open(card, control, &error) {
      error = calsa_set(mixer, level.centibels, level.step, level.isMuted ? 1 : 0)
      calsa_close(mixer)
    }
    let isNew = monitor.locked {
      defer { hasComplained = error < 0 }
      return error < 0 && !hasComplained
    }
    guard isNew else { return }
    logger.error(
      "the volume can't be set with \"\(control)\" of \(card): \(String(cString: calsa_reason(error))); check [audio] mixer"
    )
  }
}
