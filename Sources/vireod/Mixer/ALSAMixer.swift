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
final class ALSAMixer: Mixer {
  private struct Level {
    /// 1/100 dB, at most 0.
    var centibels: Int
    /// 0...100
    var step: Int32
    var isMuted: Bool
  }

  private struct State: Sendable {
    var waiting: Level?
    var isRunning = false
    var isClosed = false
    var hasComplained = false
    var changed: (@Sendable (MixerChange) -> Void)?
    /// True while ``pipe`` holds a byte for the thread. Never more than one, since a write to a full pipe would block.
    var isWoken = false
    /// The read and the write end of the pipe that wakes the thread; made before the thread is, and then kept.
    var pipe: [Int32] = [-1, -1]

    /// Wakes the thread.
    mutating func wake() {
      guard !isWoken else { return }
      isWoken = true
      var byte: UInt8 = 0
      _ = write(pipe[1], &byte, 1)
    }
  }

  private let control: String
  private let card: String
  private let logger: Logger
  private let state = SharedState(State())

  init(control: String, card: String, logger: Logger) {
    self.control = control
    self.card = card
    self.logger = logger
  }

  deinit {
    for end in state.withLock({ $0.pipe }) where end >= 0 { Glibc.close(end) }
  }

  func follow(_ changed: @escaping @Sendable (MixerChange) -> Void) {
    state.withLock { $0.changed = changed }
  }

  /// Sets the level again: a card that was unplugged comes back at a level of its own, which may be the loudest. A card
  /// that already has the right level is left alone.
  func deviceOpened(_ volume: Volume) { apply(volume) }

  func apply(_ volume: Volume) {
    let decibels = Double(volume.decibels(of: .master)) / 256
    let level = Level(
      centibels: Int((decibels * 100).rounded()), step: Int32(volume.step(of: .master)),
      isMuted: volume.isMuted(.master) || volume.step(of: .master) == 0)
    state.withLock { state in
      guard !state.isClosed else { return }
      state.waiting = level
      if state.isRunning {
        state.wake()
      } else if state.pipe[0] >= 0 || clinux_pipe(&state.pipe) == 0 {
        state.isRunning = Thread.start(name: "vireo-mixer") { self.work() }
      }
    }
  }

  /// Ends the thread after the pending change. Waits for at most 200 ms, since a card may hang.
  func close() {
    let deadline = JobThread.time(in: .milliseconds(200))
    state.withLock { state in
      state.isClosed = true
      if state.isRunning { state.wake() }
    }
    _ = state.wait(untilNanoseconds: deadline) { $0.isRunning ? nil : true }
  }

  // MARK: The thread

  /// Takes the level to be set; nil when there is none.
  private func next() -> Level? {
    state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
  }

  /// Whether the thread may end, because the card is gone or the mixer is closed. Not while a level is to be set.
  private func mayEnd() -> Bool {
    state.change { state in
      guard state.waiting == nil else { return false }
      state.isRunning = false
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
    let wakeEnd = state.withLock { $0.pipe[0] }
    while true {
      while let level = next() {
        if sync.isAt(centibels: level.centibels, step: Int(level.step), isMuted: level.isMuted) { continue }
        var error = calsa_set(mixer, level.centibels, level.step, level.isMuted ? 1 : 0)
        if error >= 0 { error = calsa_get(mixer, &reading) }
        if error < 0 { return error }
        sync.settled(MixerSync.Reading(reading))
        complain(0)
      }
      if state.withLock({ $0.isClosed }) { return 0 }
      let event = calsa_wait(mixer, wakeEnd)
      if event < 0 { return event }
      if event == 0 {
        var byte: UInt8 = 0
        _ = read(wakeEnd, &byte, 1)
        state.withLock { $0.isWoken = false }
        continue
      }
      let error = calsa_get(mixer, &reading)
      if error < 0 { return error }
      if let change = sync.read(MixerSync.Reading(reading)) {
        state.withLock { $0.changed }?(change)
      }
    }
  }

  /// Logs an error once, until the card works again.
  private func complain(_ error: Int32) {
    let isNew = state.withLock { state in
      defer { state.hasComplained = error < 0 }
      return error < 0 && !state.hasComplained
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
