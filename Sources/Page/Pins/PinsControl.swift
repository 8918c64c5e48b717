import Logging
import Pins
import Player

/// Answers what is asked for below `/api/v1/pins`: the favourites, which are OpenHome's device pins.
public struct PinsControl: PinsHandlers {
  let player: PlayerCore
  let section: PinsSection
  let playerSection: PlayerSection
  let pictures: any PictureAddresses
  let playing: PinPlaying

  public init(
    player: PlayerCore, section: PinsSection, playerSection: PlayerSection, undo: QueueUndo,
    pictures: any PictureAddresses, logger: Logger
  ) {
    self.player = player
    self.section = section
    self.playerSection = playerSection
    self.pictures = pictures
    playing = PinPlaying(player: player, section: playerSection, undo: undo, logger: logger)
  }

  public func getPins(_ context: APIContext) -> Reply<API.Pins> { .value(section.value) }

  public func addPin(_ body: API.NewPin, _ context: APIContext) -> Reply<API.Pin> {
    guard let index = player.currentState.pins.firstEmpty else {
      return .problem(
        .conflict("All \(PinBank.size) favourites are taken; remove one first.", type: "pins-full"))
    }
    return put(body, at: index)
  }

  public func setPin(slot: Int, _ body: API.NewPin, _ context: APIContext) -> Reply<API.Pin> {
    put(body, at: slot - 1)
  }

  private func put(_ body: API.NewPin, at index: Int) -> Reply<API.Pin> {
    do throws(Problem) {
      let pin = try NewPin(body: body, state: player.currentState, pictures: pictures).pin()
      do throws(PlayerError) {
        try player.change([.pins(.set(pin, index: index))])
      } catch {
        throw Problem(error)
      }
    } catch {
      return .problem(error)
    }
    guard let slot = player.currentState.pins.slots[index] else { return .problem(Problem(.pinNotFound)) }
    return .value(API.Pin(slot, at: index, pictures))
  }

  public func clearPin(slot: Int, id: Int?, _ context: APIContext) -> Reply<Done> {
    guard let found = player.currentState.pins.slots[slot - 1] else { return .problem(Problem(.pinNotFound)) }
    guard id == nil || id == Int(found.id) else {
      return .problem(.conflict("There is another favourite in this slot now.", type: "pin-changed"))
    }
    return change(.clear(found.id))
  }

  public func playPin(id: Int, _ context: APIContext) -> Reply<Done> {
    guard let pin = player.currentState.pins.pin(UInt32(clamping: id)) else {
      return .problem(Problem(.pinNotFound))
    }
    return playing.play(pin, context) { [playerSection] in Done(version: playerSection.version) }
  }

  public func movePin(_ body: API.PinMove, _ context: APIContext) -> Reply<Done> {
    change(.move(UInt32(clamping: body.id), index: body.slot - 1))
  }

  public func swapPins(_ body: API.PinSwap, _ context: APIContext) -> Reply<Done> {
    change(.swap(body.first - 1, body.second - 1))
  }

  private func change(_ command: PinCommand) -> Reply<Done> {
    do throws(PlayerError) {
      try player.change([.pins(command)])
      return .value(Done(version: playerSection.version))
    } catch {
      return .problem(Problem(error))
    }
  }
}
