import ControlPoint
import Network

/// Something to be played, and where it is from.
package struct Playable: Sendable, Hashable {
  package var object: MediaObject
  /// The addresses of its server; none for what is on this machine, or was named by its address.
  package var source: Set<IPAddress>

  package init(object: MediaObject, source: Set<IPAddress> = []) {
    self.object = object
    self.source = source
  }
}

/// What a renderer is given for a track.
package struct RendererTrack: Sendable, Hashable {
  package var title: String
  package var uri: String
  /// DIDL-Lite.
  package var metadata: String
  /// In seconds; nil if the server doesn't say.
  package var duration: Int?

  package init(title: String, uri: String, metadata: String, duration: Int? = nil) {
    (self.title, self.uri, self.metadata, self.duration) = (title, uri, metadata, duration)
  }
}

/// What a renderer can be given of some tracks.
package struct ChosenTracks: Sendable, Hashable {
  package var tracks: [RendererTrack] = []
  /// What it can't play, and why.
  package var refused: [String] = []

  /// Chooses the address that suits the renderer, for each track.
  package init(_ objects: [Playable], for place: RendererPlace, playing formats: SinkFormats) {
    for playable in objects {
      let object = playable.object
      do throws(ResourceRefusal) {
        let resource = try object.resource(for: place.reach(formats, of: playable.source))
        tracks.append(
          RendererTrack(
            title: object.title, uri: resource.address, metadata: object.metadata(for: resource),
            duration: resource.duration.map { PlayTime.bounded(Int($0.components.seconds)) }))
      } catch {
        refused.append("\(object.title): \(error.words)")
      }
    }
  }
}
