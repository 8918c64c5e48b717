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
  /// (Radio, "ReadList": 2 KB).
  ///
  /// - Parameters:
  ///   - name: nil for the last part of the URI.
  ///   - image: URL of a logo.
  public init(station uri: String, name: String?, image: String? = nil) {
    let image = image.flatMap { $0.utf8.count <= Self.maximumImageLength ? $0 : nil }
    self.init(
      uri: uri,
      metadata: DIDLWriter.item(
        title: name.map { String($0.prefix(Self.maximumNameLength)) }, artist: nil, album: nil, uri: uri,
        upnpClass: "object.item.audioItem.audioBroadcast", albumArtURI: image))
  }

  private static let maximumNameLength = 120
  private static let maximumImageLength = 512
}
