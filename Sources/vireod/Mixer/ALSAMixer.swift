import CALSA
import CLinux
import Glibc
import Logging
import Player
import Threads

/// Sets the volume with a control of a sound card, and follows changes by others (a knob, `alsamixer`).
///
/// One thread has the card open and sleeps until either side changes something. A card that is gone is opened again
/// with the next volume change, or when the sound device has been opened again.
// Safe to share: mutable state is only accessed under `monitor`.
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
  private var isClosed = false
  private var hasComplained = false
  private var changed: (@Sendable (MixerChange) -> Void)?
  /// True while ``pipe`` holds a byte for the thread. Never more than one, since a write to a full pipe would block.
  private var isWoken = false
  /// The read and the write end of the pipe that wakes the thread.
  private var pipe: [Int32] = [-1, -1]

  init(control: String, card: String, logger: Logger) {
    self.control = control
    self.card = card
    self.logger = logger
  }

  deinit {
    for end in pipe where end >= 0 { Glibc.close(end) }
  }

  func follow(_ changed: @escaping @Sendable (MixerChange) -> Void) {
    monitor.locked { self.changed = changed }
  }

  /// Sets the level again: a card that was unplugged comes back at a level of its own, which may be the loudest. A card
  /// that already has the right level is left alone.
  func deviceOpened(_ volume: Volume) { apply(volume) }

  func apply(_ volume: Volume) {
    let decibels = Double(volume.decibels(of: .master)) / 256
    let level = Level(
      centibels: Int((decibels * 100).rounded()), step: Int32(volume.step(of: .master)),
      isMuted: volume.isMuted(.master) || volume.step(of: .master) == 0)
    monitor.locked {
      guard !isClosed else { return }
      waiting = level
      if isRunning {
        wake()
      } else if pipe[0] >= 0 || clinux_pipe(&pipe) == 0 {
        isRunning = Thread.start(name: "vireo-mixer") { self.work() }
      }
    }
  }

  /// Wakes the thread. Call with the lock held.
  private func wake() {
    guard !isWoken else { return }
    isWoken = true
    var byte: UInt8 = 0
    _ = write(pipe[1], &byte, 1)
  }

  /// Ends the thread after the pending change. Waits for at most 200 ms, since a card may hang.
  func close() {
    let deadline = JobThread.time(in: .milliseconds(200))
    monitor.locked {
      isClosed = true
      if isRunning { wake() }
      while isRunning, monitor.wait(untilNanoseconds: deadline) {}
    }
  }

  // MARK: The thread

  /// Takes the level to be set; nil when there is none.
  private func next() -> Level? {
    monitor.locked {
      defer { waiting = nil }
      return waiting
    }
  }

  /// Whether the thread may end, because the card is gone or the mixer is closed. Not while a level is to be set.
  private func mayEnd() -> Bool {
    monitor.locked {
      guard waiting == nil else { return false }
      isRunning = false
      monitor.signalAll()
      return true
    }
  }

  private func work() {
    repeat {
      var error: Int32 = 0
      if let mixer = calsa_open(card, control, &error) {
        error = serve(mixer)
        calsa_close(mixer)
      } else {
        _ = next()
      }
      complain(error)
    } while !mayEnd()
  }

  /// Sets the level and follows the card until the mixer is closed (returns 0) or the card fails (returns its error).
  private func serve(_ mixer: OpaquePointer) -> Int32 {
    var sync = MixerSync()
    var reading = calsa_level()
    while true {
      while let level = next() {
        if sync.isAt(centibels: level.centibels, step: Int(level.step), isMuted: level.isMuted) { continue }
        var error = calsa_set(mixer, level.centibels, level.step, level.isMuted ? 1 : 0)
        if error >= 0 { error = calsa_get(mixer, &reading) }
        if error < 0 { return error }
        sync.settled(MixerSync.Reading(reading))
        complain(0)
      }
      if monitor.locked({ isClosed }) { return 0 }
      let event = calsa_wait(mixer, pipe[0])
      if event < 0 { return event }
      if event == 0 {
        var byte: UInt8 = 0
        _ = read(pipe[0], &byte, 1)
        monitor.locked { isWoken = false }
        continue
      }
      let error = calsa_get(mixer, &reading)
      if error < 0 { return error }
      if let change = sync.read(MixerSync.Reading(reading)) {
        monitor.locked { changed }?(change)
      }
    }
  }

  /// Logs an error once, until the card works again.
  private func complain(_ error: Int32) {
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

extension MixerSync.Reading {
  fileprivate init(_ level: calsa_level) {
    self.init(
      level: level.knows_decibels != 0 ? .centibels(level.centibels) : .step(Int(level.step)),
      isMuted: level.is_muted != 0)
  }
}
