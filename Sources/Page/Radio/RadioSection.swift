import JSON
import Player
import Services
import Synchronization

/// The section `radio`. As with ``PlayerSection``, nothing is computed while nobody asks.
public final class RadioSection: PageSection {
  private struct Shown: Sendable, Equatable {
    var presets: [API.Station]
    var current: UInt32
    var songs: [RadioSongs.Song]
  }

  private struct State: Sendable {
    var version = 0
    var shown: Shown?
    /// The presets of the list with this token.
    var presets: (token: UInt32, stations: [API.Station])?
  }

  private let player: PlayerCore
  private let songs: RadioSongs
  private let pictures: any PictureAddresses
  private let state = Mutex(State())

  public init(player: PlayerCore, songs: RadioSongs, pictures: any PictureAddresses) {
    self.player = player
    self.songs = songs
    self.pictures = pictures
  }

  public var version: Int { value.version }

  /// The section as it is now.
  public var value: API.Radio {
    let radio = player.currentState.radio
    let (songs, now) = (songs.all, player.instant)
    let version = state.withLock { state in
      let presets =
        state.presets.flatMap { $0.token == radio.token ? $0.stations : nil } ?? stations(radio)
      state.presets = (radio.token, presets)
      let shown = Shown(presets: presets, current: radio.id, songs: songs)
      if state.shown != shown {
        pictures.keep(presets.compactMap(\.art), for: .radio)
        state.version += 1
        state.shown = shown
      }
      return state.version
    }
    return API.Radio(
      version: version, presets: state.withLock { $0.shown?.presets } ?? [], current: Int(radio.id),
      songs: songs.map {
        API.Song(text: $0.text, age: max(0, Int(now.duration(since: $0.began).components.seconds)))
      })
  }

  private func stations(_ radio: Radio) -> [API.Station] {
    radio.presets.compactMap(\.self).map { preset in
      let shown = ShownTrack(preset.media)
      return API.Station(
        id: Int(preset.id), title: shown.title, uri: redacted(uri: preset.media.uri),
        art: shown.picture.flatMap(pictures.address(of:)))
    }
  }

  public func write(to json: inout JSONWriter) { value.write(to: &json) }
}
