import Logging
import Pins
import Player
import UPnP

/// Pins:1: favourites of this device; there are none of an account.
public struct PinsService: Pins1.Provider {
  let player: PlayerCore
  let logger: Logger
  let casters: Casters?

  public init(player: PlayerCore, logger: Logger, casters: Casters? = nil) {
    self.player = player
    self.logger = logger
    self.casters = casters
  }

  var view: PinsView { PinsView(pins: player.currentState.pins) }

  func commands(for context: ActionContext) -> PinsCommands {
    PinsCommands(player: player, log: CastLog(logger: logger, context: context, casters: casters))
  }
}

/// The view of Pins:1.
struct PinsView: Pins1.View {
  let pins: PinBank

  private static let modeList = PinList.text(modes: PinURI.modes)

  var deviceMax: UInt32 { UInt32(PinBank.size) }
  var accountMax: UInt32 { 0 }
  var modes: String { Self.modeList }
  var idArray: String { PinList.text(ids: pins.ids) }
  var cloudConnected: Bool { false }
}

/// The actions of Pins:1 that aren't simple getters.
struct PinsCommands: Pins1.Commands {
  let player: PlayerCore
  let log: CastLog

  private var pins: PinBank { player.currentState.pins }

  /// An id of 0 gives a blank object; others have to be there. What is no list of ids has none that is.
  func readList(ids: String) throws(UPnPError) -> String {
    guard let ids = PinList.ids(in: ids) else { throw UPnPError(pin: .idNotFound) }
    let pins = pins
    var slots: [PinBank.Slot?] = []
    for id in ids {
      let pin = pins.pin(id)
      guard pin != nil || id == 0 else { throw UPnPError(pin: .idNotFound) }
      slots.append(pin.map { PinBank.Slot(id: id, pin: $0) })
    }
    return PinList.text(slots)
  }

  // MARK: Playing

  func invokeId(id: UInt32) throws(UPnPError) {
    guard let pin = pins.pin(id) else { throw UPnPError(pin: .idNotFound) }
    try play(pin)
  }

  func invokeIndex(index: UInt32) throws(UPnPError) {
    let pins = pins
    let pin = try attempt { () throws(PinError) in try pins.pin(at: Int(index)) }
    guard let pin else { throw UPnPError(pin: .nothingToPlay) }
    try play(pin)
  }

  func invokeUri(mode: String, type: String, uri: String, shuffle: Bool) throws(UPnPError) {
    try play(
      attempt { () throws(PinError) in
        try Pin(mode: mode, type: type, uri: uri, title: "", isShuffled: shuffle)
      })
  }

  /// Plays a pin. What is known at once to have nothing to play is refused; what turns out so later is told as the player's
  /// failure.
  private func play(_ pin: Pin) throws(UPnPError) {
    _ = try attempt { () throws(PinError) in try PinURI(pin.uri, mode: pin.mode) }
    log.play(pin)
    try player.change(.pins(.play(pin)))
    if case .failed = player.currentState.pinPlay?.progress { throw UPnPError(pin: .nothingToPlay) }
  }

  // MARK: Editing

  func setDevice(
    index: UInt32, mode: String, type: String, uri: String, title: String, description: String,
    artworkUri: String, shuffle: Bool
  ) throws(UPnPError) {
    guard index < PinBank.size else { throw UPnPError(pin: .indexOutOfRange) }
    let pin = try attempt { () throws(PinError) in
      try Pin(
        mode: mode, type: type, uri: uri, title: title, detail: description, picture: artworkUri,
        isShuffled: shuffle)
    }
    try player.change(.pins(.set(pin, index: Int(index))))
  }

  /// There are no account pins, so every index is out of range.
  func setAccount(
    index: UInt32, mode: String, type: String, uri: String, title: String, description: String,
    artworkUri: String, shuffle: Bool
  ) throws(UPnPError) {
    throw UPnPError(pin: .indexOutOfRange)
  }

  func clear(id: UInt32) throws(UPnPError) { try player.change(.pins(.clear(id))) }

  func swap(index1: UInt32, index2: UInt32) throws(UPnPError) {
    try player.change(.pins(.swap(Int(index1), Int(index2))))
  }

  private func attempt<Value>(_ body: () throws(PinError) -> Value) throws(UPnPError) -> Value {
    do throws(PinError) { return try body() } catch { throw UPnPError(pin: error) }
  }
}

extension UPnPError {
  init(pin error: PinError) { self.init(code: error.code, description: error.text) }
}
