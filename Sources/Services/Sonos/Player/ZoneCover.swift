import DIDLLite
import Pins
import Player

/// The picture of a track that a zone has named, by the address of the track.
///
/// Only the queue, what plays, stations and favourites are looked through, so nobody can have any other address fetched.
public enum ZoneCover: Sendable, Hashable {
  /// Where it is, as the metadata says.
  case address(String)
  /// Inside the file that plays.
  case embedded(EmbeddedPicture)

  /// How much metadata is read for one answer, where tracks have the same address.
  private static let mostRead = 8

  /// - Parameter uri: the address of the track, as the zone names it; nil is returned for one that it doesn't name, and for one
  ///   without a picture.
  public init?(of uri: String, in state: PlayerState) {
    let wanted: Set<String>
    switch ZoneURI(uri) {
    case .track(let address): wanted = [address]
    case .station(let addresses): wanted = Set(addresses)
    case .queue, .group, .playlist, .library, .unsupported: return nil
    }
    for media in Self.named(state).filter({ wanted.contains($0.uri) }).prefix(Self.mostRead) {
      guard let art = DIDL.items(media.metadata).first?.albumArtURI, !art.isEmpty else { continue }
      self = .address(art)
      return
    }
    if let track = state.currentTrack, wanted.contains(track.uri), let picture = state.facts.tags?.picture {
      self = .embedded(picture)
      return
    }
    for case let slot? in state.pins.slots where !slot.pin.picture.isEmpty {
      guard case .stream(let address)? = try? PinURI(slot.pin.uri, mode: slot.pin.mode),
        wanted.contains(address)
      else { continue }
      self = .address(slot.pin.picture)
      return
    }
    return nil
  }

  private static func named(_ state: PlayerState) -> some Sequence<Media> {
    let playing = [state.zoneChosen, state.currentTrack].compactMap(\.self)
    let stations = state.radio.presets.lazy.compactMap { $0?.media }
    let tracks = state.playlist.tracks
    let queue = tracks.ids.lazy.compactMap { tracks[$0] }
    return [AnySequence(playing), AnySequence(stations), AnySequence(queue)].joined()
  }
}
