import DIDLLite
import Kept
import Player
import Text

extension Media {
  /// Media from a control point. Format and duration come from the DIDL-Lite resource for the URI, if any;
  /// the metadata is unchanged.
  init(sent uri: String, metadata: String) {
    let uri = uri.trimmingASCIISpace
    let resource = DIDL.items(metadata).first?.resource(for: uri)
    self.init(
      uri: uri, metadata: metadata, contentFormat: resource?.protocolInfo?.mimeType,
      durationHint: resource?.duration)
  }

  /// The metadata of a track as control points see it.
  var trackMetadata: String { shownMetadata(DIDLWriter.trackClass) }
  /// The metadata of a station as control points see it.
  var stationMetadata: String { shownMetadata(DIDLWriter.stationClass) }

  /// The metadata as it was sent. If that isn't XML (empty, `NOT_IMPLEMENTED`, a document escaped twice), an
  /// item made from whatever is readable in it and from the address: some control points drop entries without
  /// a title.
  private func shownMetadata(_ upnpClass: String) -> String {
    guard !uri.isEmpty, !metadata.utf8.contains(UInt8(ascii: "<")) else { return metadata }
    let sent = metadata.isEmpty ? nil : DIDL.items(metadata).first
    return DIDLWriter.item(
      title: sent?.title, artist: sent?.artist, album: sent?.album, uri: uri,
      upnpClass: sent?.upnpClass ?? upnpClass, albumArtURI: sent?.albumArtURI)
  }

  /// A station from the configuration or a list, as a preset.
  ///
  /// Control points want a `res` and short metadata (Radio, "ReadList": 2 KB), so the name is cut and the
  /// image dropped if necessary. Only a long address can exceed that limit, since a station needs its
  /// address.
  ///
  /// - Parameters:
  ///   - uri: the station's address.
  ///   - name: nil for the last part of the URI.
  ///   - image: URL of a logo.
  public init(station uri: String, name: String?, image: String? = nil) {
    func metadata(_ name: String?, _ image: String?) -> String {
      DIDLWriter.item(
        title: name, artist: nil, album: nil, uri: uri,
        upnpClass: DIDLWriter.stationClass, albumArtURI: image)
    }
    let name = name.map { String($0.unicodeScalars.prefix(Self.maximumNameLength)) }
    let whole = metadata(name, image)
    self.init(
      uri: uri, metadata: whole.utf8.count <= Self.maximumPresetLength ? whole : metadata(name, nil))
  }

  private static let maximumNameLength = 120
  private static let maximumPresetLength = 2048
}
