import Player
import SCPD
import UPnP

/// Time:1: the position, evented once a second while something plays and there are subscribers.
public struct TimeService: ServiceProvider {
  let player: PlayerCore

  public init(player: PlayerCore) {
    self.player = player
  }

  public var identity: ServiceIdentity { .openHome("Time", version: 1) }
  public var description: ServiceDescription { Time1.description }
  public var scpd: (head: String, tail: String) { Time1.scpd }
  public var eventing: EventStyle { .properties }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    try Time1.perform(&call, view: currentView, commands: NoCommands())
  }

  public func eventedValues() -> [EventedValue] { Time1.eventedValues(of: currentView) }

  /// The time until the next full second; nil while the position doesn't move.
  public func nextChange() -> Duration? {
    player.assumeIsolated { core in
      guard core.state.anchor.rate != 0 else { return nil }
      let position = core.state.position(at: core.now)
      if let duration = core.state.duration, position >= duration { return nil }
      return .seconds(position.components.seconds + 1) - position
    }
  }

  private var currentView: TimeView { player.assumeIsolated { TimeView(state: $0.state, now: $0.now) } }

  private struct NoCommands: Time1.Commands {}
}

/// The view of Time:1.
struct TimeView: Time1.View {
  let state: PlayerState
  let now: PlayerInstant

  var trackCount: UInt32 { state.counters.trackCount }
  /// As Info shows it.
  var duration: UInt32 { state.duration?.wholeSeconds ?? 0 }
  var seconds: UInt32 { state.position(at: now).wholeSeconds }
}

extension Duration {
  /// Whole seconds, rounded down, never negative.
  var wholeSeconds: UInt32 { UInt32(clamping: components.seconds) }
}
