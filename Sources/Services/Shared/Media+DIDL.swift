import Player
import UPnP

extension Media {
  /// What a control point sent: format and duration are those that its DIDL-Lite gives for the URI, if any. The
  /// metadata stays as it is.
  init(sent uri: String, metadata: String) {
    let uri = uri.trimmingASCIISpace
    let resource = DIDL.items(metadata).first?.resource(for: uri)
    self.init(
      uri: uri, metadata: metadata, contentFormat: resource?.protocolInfo?.mimeType,
      durationHint: resource?.duration)
  }

  /// A station of the configuration or of a list, as a preset shows it: control points want a `res` and little text
  /// (Radio, "ReadList": 2 KB), so what would make too much of it is cut or left out. Only an address that is longer
  /// by itself makes it longer, since without that there is no station.
  ///
  /// - Parameters:
  ///   - name: nil for the last part of the URI.
  ///   - image: URL of a logo.
  public init(station uri: String, name: String?, image: String? = nil) {
    func metadata(_ name: String?, _ image: String?) -> String {
      DIDLWriter.item(
        title: name, artist: nil, album: nil, uri: uri,
        upnpClass: "object.item.audioItem.audioBroadcast", albumArtURI: image)
    }
    let name = name.map { String($0.unicodeScalars.prefix(Self.maximumNameLength)) }
    let whole = metadata(name, image)
    self.init(
      uri: uri, metadata: whole.utf8.count <= Self.maximumPresetLength ? whole : metadata(name, nil))
  }

  private static let maximumNameLength = 120
  private static let maximumPresetLength = 2048
}
