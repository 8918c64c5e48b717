import JSON
import NIOCore
import Player
import Services
import Synchronization

/// The section `player`.
///
/// Nothing is computed while nobody asks. A version is given when somebody does, and what is shown isn't what was shown
/// before.
public final class PlayerSection: PageSection {
  /// What a version shows: the section without version and position, and the anchor that gives the position.
  private struct Shown: Sendable, Equatable {
    var section: API.Player
    var anchor: PositionAnchor
  }

  private struct State: Sendable {
    var version = 0
    var shown: Shown?
  }

  let player: PlayerCore
  let eventLoop: any EventLoop
  private let configuration: PageConfiguration
  private let pictures: any PictureAddresses
  let casters: Casters
  private let state = Mutex(State())

  public init(
    player: PlayerCore, eventLoop: any EventLoop, configuration: PageConfiguration,
    pictures: any PictureAddresses, casters: Casters
  ) {
    self.eventLoop = eventLoop
    self.casters = casters
    self.player = player
    self.configuration = configuration
    self.pictures = pictures
  }

  /// The speaker's name.
  var name: String { configuration.facts.name }

  private var view: PlayerView {
    PlayerView(
      state: player.currentState, facts: configuration.facts, caster: casters.last,
      pictures: pictures)
  }

  public var version: Int { version(of: view) }

  private func version(of view: PlayerView) -> Int {
    let shown = Shown(section: view.section(version: 0, at: nil), anchor: view.state.anchor)
    return state.withLock { state in
      if state.shown != shown {
        pictures.keep([shown.section.track?.art, shown.section.next?.art].compactMap(\.self), for: .player)
        state.version += 1
        state.shown = shown
      }
      return state.version
    }
  }

  /// The section as it is now.
  public var value: API.Player {
    let view = view
    return view.section(version: version(of: view), at: player.instant)
  }

  /// The sound device as pages see it.
  public static func sound(_ state: PlayerState, _ facts: PageFacts) -> API.Sound {
    PlayerView(state: state, facts: facts, caster: nil, pictures: nil).sound
  }

  public func write(to json: inout JSONWriter) { value.write(to: &json) }
}
