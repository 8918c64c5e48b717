import Kept
import Logging
import NIOCore
import Player
import PlayerStore
import Services
import Text

/// Performs the player's effects other than sound: saves its state, fetches lists of tracks, wakes it, and writes the
/// log.
struct EffectRunner: Sendable {
  let eventLoop: any EventLoop
  let sound: any SoundSystem
  /// Nil when there is no directory for the state.
  let store: PlayerStore?
  let presets: RadioPresets
  let pins: PinFinder
  let logger: Logger

  func perform(_ effect: Effect, for player: isolated PlayerCore) {
    switch effect {
    case .output: break
    case .report(let report): log(report)
    case .resolve(let id, let media):
      resolve(id, media, policy: player.state.configuration.uriPolicy, for: player)
    case .wake(let time, let id):
      eventLoop.scheduleTask(in: TimeAmount(time)) {
        player.assumeIsolated { try? $0.perform(.wake(id)) }
      }
    // The store finds the differences itself, so a hundred changes become one write.
    case .store: store?.record(player.state.snapshot)
    case .findPin(let id, let pin): pins.find(id, pin, for: player)
    case .stopFindingPin: pins.stop()
    case .refreshPresets: presets.assumeIsolated { $0.refresh() }
    }
  }

  /// Reads a list of tracks, and then the lists in it one by one.
  private func resolve(_ id: ResolveID, _ media: Media, policy: URIPolicy, for player: PlayerCore) {
    read(media) { resolution in
      if case .entries(let tracks) = resolution {
        readNested(NestedLists(tracks, of: media.uri, policy: policy), id, for: player)
      } else {
        player.assumeIsolated { $0.resolved(id, resolution) }
      }
    }
  }

  private func readNested(_ lists: NestedLists, _ id: ResolveID, for player: PlayerCore) {
    guard let next = lists.next else {
      return player.assumeIsolated { $0.resolved(id, lists.resolution) }
    }
    read(next) { resolution in
      var lists = lists
      lists.take(resolution)
      readNested(lists, id, for: player)
    }
  }

  /// Fetches and parses a list. Calls `answer` on the event loop.
  private func read(_ media: Media, _ answer: @escaping @Sendable (Resolution) -> Void) {
    sound.fetch(media.uri) { [eventLoop] result in
      let resolution = Self.resolution(of: result, from: media)
      eventLoop.execute { answer(resolution) }
    }
  }

  static func resolution(of result: Result<[UInt8], PlaybackFailure>, from media: Media) -> Resolution {
    switch result {
    case .failure(let failure): .failed(failure)
    case .success(let bytes):
      switch PlaylistDocument.read(bytes, from: media.uri) {
      case .tracks(let tracks): .entries(tracks)
      case .stream, .unknown: .notAContainer
      }
    }
  }

  private func log(_ report: PlayerReport) {
    switch report {
    case .started(let media, let gapless):
      logger.info("playing \(redacted(uri: media.uri))\(gapless ? ", without a gap" : "")")
    case .finished: logger.info("finished, nothing follows")
    case .failed(let media, let failure):
      logger.warning("can't play \(redacted(uri: media.uri)): \(failure.message)")
    case .skipped(let media, let failure):
      logger.warning("skipped \(redacted(uri: media.uri)): \(failure.message)")
    case .gaveUp(let tracks): logger.warning("stopped: \(counted(tracks, "track")) in a row can't be played")
    case .opened(let media, let tracks, let dropped):
      let rest = dropped > 0 ? ", \(dropped) left out (refused, or too many)" : ""
      logger.info("\(redacted(uri: media.uri)) is a list of \(counted(tracks, "track"))\(rest)")
    case .lost(let media, let failure, let attempt, let time):
      // Only the first attempt is a warning. The next line says either that the track plays again or that it was given
      // up.
      logger.log(
        level: attempt == 1 ? .warning : .debug,
        "lost \(redacted(uri: media.uri)): \(failure.message.withoutPeriod); attempt \(attempt) to connect again follows in \(time.components.seconds) s"
      )
    case .pinFailed(let pin, let failure):
      logger.warning(
        "can't play the pin “\(redacted(text: pin.title))” (\(pin.shownAddress)): \(failure.message)")
    case .volumeLimited(let requested, let limit):
      logger.info("volume \(requested) was asked for, \(limit) is the limit; see [volume] limit")
    }
  }
}
