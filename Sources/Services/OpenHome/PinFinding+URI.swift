import Pins
import Player

extension PinFinding {
  /// What a pin stands for, as far as nobody else has to be asked; nil where a media server or the stored playlists have to be.
  public init?(_ uri: PinURI, of pin: Pin) {
    switch uri {
    // The radio looks by itself what is there: a station, a list or a file.
    case .stream(let address):
      self = .station(
        Media(
          station: address, name: pin.title.isEmpty ? nil : pin.title,
          image: pin.picture.isEmpty ? nil : pin.picture))
    case .preset(let id): self = .preset(id)
    case .source(let name):
      guard let source = SourceKind.allCases.first(where: { $0.names.system == name }) else {
        self = .nothing(PlaybackFailure(.notFound, "There is no source “\(name)”."))
        return
      }
      self = .source(source)
    case .object, .playlist: return nil
    }
  }
}

extension PinURI {
  /// A source of this player.
  public init(_ source: SourceKind) { self = .source(source.names.system) }

  /// The source of this player that it names; nil for another one.
  public var sourceKind: SourceKind? {
    guard case .source(let name) = self else { return nil }
    return SourceKind.allCases.first { $0.names.system == name }
  }
}

extension Pin {
  /// What it plays, for people: without its secrets, which an address inside another one would hide from redaction.
  public var shownAddress: String {
    switch try? PinURI(uri, mode: mode) {
    case .stream(let address): redacted(uri: address)
    case .preset, .source, .object, .playlist: uri
    case nil: redacted(uri: uri)
    }
  }
}
