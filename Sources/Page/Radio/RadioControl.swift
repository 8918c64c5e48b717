import Logging
import Player
import Services
import Synchronization
import UPnP

/// Answers what is asked for below `/api/v1/radio`.
public final class RadioControl: RadioHandlers {
  /// How many addresses are looked at at once. Each counts until nothing is read from it any more.
  static let mostProbes = 1

  private let player: PlayerCore
  private let section: RadioSection
  private let playerSection: PlayerSection
  private let prober: any AddressProbe
  private let logger: Logger
  private let probes = Mutex(0)

  public init(
    player: PlayerCore, section: RadioSection, playerSection: PlayerSection, prober: any AddressProbe,
    logger: Logger
  ) {
    self.player = player
    self.section = section
    self.playerSection = playerSection
    self.prober = prober
    self.logger = logger
  }

  public func getRadio(_ context: APIContext) -> Reply<API.Radio> { .value(section.value) }

  public func playStation(id: Int, _ context: APIContext) -> Reply<Done> {
    playerSection.audibly {
      do throws(PlayerError) {
        try player.change([.radio(.setID(UInt32(clamping: id), uri: "")), .radio(.play)])
      } catch {
        return .problem(Problem(error))
      }
      CastLog(logger: logger, context: context.action, casters: playerSection.casters, isPage: true)(
        "tunes to", player.currentState.radio.channel)
      return .value(Done(version: playerSection.version))
    }
  }

  public func checkAddress(_ body: API.Address, _ context: APIContext) -> Reply<API.AddressCheck> {
    let state = player.currentState
    if let problem = NewMedia.refusal(of: body.uri, at: "/uri", state) { return .problem(problem) }
    let isFree = probes.withLock { count in
      guard count < Self.mostProbes else { return false }
      count += 1
      return true
    }
    guard isFree else {
      return .problem(
        Problem(
          "too-many-requests", .tooManyRequests, "Another address is being looked at; try again soon.",
          retryAfter: 2))
    }
    return .later { [self] in
      .value(await prober.probe(body.uri) { [self] in probes.withLock { $0 -= 1 } })
    }
  }
}
