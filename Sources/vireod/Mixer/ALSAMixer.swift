import CALSA
import Dispatch
import Glibc
import Logging
import Player
import Synchronization

/// Makes the volume with a control of a sound card.
///
/// Opened anew for every change: a card may come and go, and an open one would wake us for whatever others change.
final class ALSAMixer: Mixer {
  private struct Level: Sendable, Equatable {
    /// 1/100 dB, at most 0.
    var centibels: Int
    /// 0...100
    var step: Int32
    var isMuted: Bool
  }

  private let control: String
  private let card: String
  private let logger: Logger
  private let waiting = Mutex<Level?>(nil)
  private let hasComplained = Mutex(false)
  private let queue = DispatchQueue(label: "vireo.mixer")

  init(control: String, card: String, logger: Logger) {
    self.control = control
    self.card = card
    self.logger = logger
  }

  func apply(_ volume: Volume) {
    let decibels = volume.decibels(of: .master) * 100
    let level = Level(
      centibels: Int((Double(decibels) / 256).rounded()), step: Int32(volume.step(of: .master)),
      isMuted: volume.isMuted(.master) || volume.step(of: .master) == 0)
    let isFirst = waiting.withLock { waiting in
      defer { waiting = level }
      return waiting == nil
    }
    if isFirst { queue.async { self.work() } }
  }

  func close() {
    // What is on its way is quick; nothing is left open behind it.
    queue.sync {}
  }

  private func work() {
    let level = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    guard let level else { return }
    var error: Int32 = 0
    if let mixer = calsa_open(card, control, &error) {
      error = calsa_set(mixer, level.centibels, level.step, level.isMuted ? 1 : 0)
      calsa_close(mixer)
    }
    let isNew = hasComplained.withLock { hasComplained in
      defer { hasComplained = error < 0 }
      return error < 0 && !hasComplained
    }
    guard isNew else { return }
    logger.error(
      "the volume can't be set with \"\(control)\" of \(card): \(String(cString: calsa_reason(error))); check [audio] mixer"
    )
  }
}
