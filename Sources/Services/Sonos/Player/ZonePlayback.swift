import Kept
import Logging
import Pins
import Player
import Synchronization
import UPnP

/// What the services of a zone share.
public struct ZonePlayback: Sendable {
  let player: PlayerCore
  /// `RINCON_…01400`
  let uid: String
  let home: ZoneHome
  /// What can be done with other zones.
  public let grouping: ZoneGrouping
  let groupVolume = ZoneGroupVolumeState()
  let lists: any SavedQueues
  let logger: Logger
  let casters: Casters?
  private let counters: ZoneCounters

  /// - Parameters:
  ///   - lists: the stored playlists.
  ///   - neighbours: the other zones; nil for none.
  public init(
    _ home: ZoneHome, lists: any SavedQueues, neighbours: (any ZoneNeighbours)? = nil, logger: Logger,
    casters: Casters? = nil
  ) {
    self.player = home.player
    self.uid = home.identity.uid
    self.home = home
    grouping = ZoneGrouping(
      home: home, neighbours: neighbours ?? NoZoneNeighbours(), queueURI: ZoneURI.queue(home.identity.uid))
    self.lists = lists
    self.logger = logger
    self.casters = casters
    counters = ZoneCounters(run: UInt32(clamping: home.identity.bootSequence))
  }

  /// The services of the embedded MediaRenderer, in the order of the device description.
  public var rendererServices: [any ServiceProvider] {
    [
      ZoneRenderingControl(self), ZoneConnectionManager(self), ZoneAVTransport(self), ZoneQueueService(self),
      ZoneGroupRenderingControl(self),
    ]
  }

  /// The services of the embedded MediaServer, in the order of the device description.
  public var serverServices: [any ServiceProvider] {
    [ZoneContentDirectory(self), ZoneConnectionManager(self)]
  }

  var queueURI: String { ZoneURI.queue(uid) }
  /// Counts changes of the queue.
  var queueUpdateID: UInt32 { max(1, player.currentState.playlist.token) }

  /// Counts changes of what can be browsed, besides the queue.
  func updates() -> ZoneUpdates { counters.updates(player.currentState, lists.heads) }
}

/// How often what can be browsed has changed. Each number rises with each change, also over restarts.
struct ZoneUpdates: Sendable, Hashable {
  var lists: UInt32
  var favourites: UInt32
  var stations: UInt32
}

/// Counts changes whenever somebody looks.
private final class ZoneCounters: Sendable {
  private struct State: Sendable {
    var updates: ZoneUpdates
    var heads: [KeptHead] = []
    var pins: [UInt32] = []
    var stations: UInt32 = 0
  }

  private let state: Mutex<State>

  init(run: UInt32) {
    // The numbers of a run begin where no earlier run can have come.
    let first = (run & 0x7fff) << 16 | 1
    state = Mutex(State(updates: ZoneUpdates(lists: first, favourites: first, stations: first)))
  }

  func updates(_ player: PlayerState, _ heads: [KeptHead]) -> ZoneUpdates {
    state.withLock { state in
      if state.heads != heads { (state.heads, state.updates.lists) = (heads, state.updates.lists &+ 1) }
      let pins = player.pins.ids
      if state.pins != pins { (state.pins, state.updates.favourites) = (pins, state.updates.favourites &+ 1) }
      let stations = player.radio.token
      if state.stations != stations {
        (state.stations, state.updates.stations) = (stations, state.updates.stations &+ 1)
      }
      return state.updates
    }
  }
}

extension UPnPError {
  static let zoneNotSupported = UPnPError(code: 800, description: "Not supported")
  static let zoneMediaNotSupported = UPnPError(code: 714, description: "Illegal MIME-type")
  static let zoneNotFound = UPnPError(code: 716, description: "Resource not found")
  static let zoneNoObject = UPnPError(code: 701, description: "No such object")
}

extension PlayerCore {
  /// Performs `command`, with the error codes of this device where they differ from those of others.
  nonisolated func changeZone(_ command: Command) throws(UPnPError) {
    let refusal = assumeIsolated { core -> PlayerError? in
      do throws(PlayerError) {
        try core.perform(command)
        return nil
      } catch {
        return error
      }
    }
    switch refusal {
    case nil: return
    case .playlistFull: throw UPnPError(code: 709, description: "Queue full")
    case .idNotFound, .indexNotFound: throw .invalidArgs("no such track")
    case .seekFailed: throw UPnPError(.illegalSeekTarget)
    case .volumeOutOfRange, .valueOutOfRange: throw .valueOutOfRange("outside what the device has")
    case .pinNotFound: throw .zoneNoObject
    case .sourceNotFound: throw UPnPError(code: 800, description: "The source is switched off")
    case .some(let refusal): throw UPnPError(refusal)
    }
  }
}
