import JSON
import Pins
import Player
import Services
import Synchronization

/// The section `pins`: the favourites. As with ``PlayerSection``, nothing is computed while nobody asks.
public final class PinsSection: PageSection {
  private struct State: Sendable {
    var version = 0
    /// What was shown last, and what that was made of.
    var shown: (bank: PinBank, pins: [API.Pin])?
  }

  private let player: PlayerCore
  private let pictures: any PictureAddresses
  private let state = Mutex(State())

  public init(player: PlayerCore, pictures: any PictureAddresses) {
    self.player = player
    self.pictures = pictures
  }

  public var version: Int { value.version }

  /// The section as it is now.
  public var value: API.Pins {
    let bank = player.currentState.pins
    return state.withLock { state in
      if let shown = state.shown, shown.bank == bank {
        return API.Pins(version: state.version, size: PinBank.size, pins: shown.pins)
      }
      let pins = bank.slots.enumerated().compactMap { index, slot in
        slot.map { API.Pin($0, at: index, pictures) }
      }
      pictures.keep(pins.compactMap(\.art), for: .pins)
      state.version += 1
      state.shown = (bank, pins)
      return API.Pins(version: state.version, size: PinBank.size, pins: pins)
    }
  }

  public func write(to json: inout JSONWriter) { value.write(to: &json) }
}

extension API.Pin {
  init(_ slot: PinBank.Slot, at index: Int, _ pictures: any PictureAddresses) {
    let pin = slot.pin
    self.init(
      slot: index + 1, id: Int(slot.id), mode: pin.mode, type: pin.type, uri: pin.shownAddress,
      title: redacted(text: pin.title), description: pin.detail.isEmpty ? nil : redacted(text: pin.detail),
      art: pin.picture.isEmpty ? nil : pictures.address(of: pin.picture), shuffle: pin.isShuffled)
  }
}
