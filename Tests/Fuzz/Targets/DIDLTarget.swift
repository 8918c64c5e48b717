import DIDLLite
import Kept
import NIOCore
import Player

@testable import Services

extension FuzzTarget {
  /// Metadata as control points and media servers write it.
  static let didl = FuzzTarget(
    name: "didl", maximumLength: 8192,
    words: [
      "<DIDL-Lite xmlns=\"urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/\">", "<item id=\"1\">", "</item>",
      "<dc:title>",
      "</dc:title>", "<upnp:artist role=\"Performer\">", "<res protocolInfo=\"http-get:*:audio/flac:*\"",
      " duration=\"0:03:20.5\"", ">http://192.0.2.1/a</res>", "&lt;", "&amp;", "&nbsp;", "&", "<![CDATA[",
      "]]>",
      "<!DOCTYPE", "<!ENTITY", "\u{feff}", "&#0;", "&#x1F600;", "xmlns:", "NOT_IMPLEMENTED",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let items = DIDL.items(text, limit: 3)
    try promise(items.count <= 3, "\(items.count) items")
    for resource in items.flatMap(\.resources) {
      try promise(!resource.uri.isEmpty, "a resource without URI")
      try promise(resource.duration.map { $0 > .zero } ?? true, "a duration of \(resource.duration ?? .zero)")
    }
    _ = TrackHeading(text)
    let heading = items.first
    let media = Media(uri: "http://192.0.2.1/a?b&c", metadata: text)
    // No URI and no tag is longer.
    let short = String(decoding: bytes.prefix(8192), as: UTF8.self)
    let title = heading?.title.map { String($0.unicodeScalars.prefix(4096)) }
    let tags = StreamTags(title: title ?? short, artist: heading?.artist, album: heading?.album)
    for written in [
      DIDLWriter.item(title: title, artist: heading?.artist, album: heading?.album, uri: short),
      DIDLWriter.metadata(of: media, song: tags),
    ] where written != text {
      try promise(XMLReading.isWellFormed(ByteBuffer(string: written)), "can't be read: \(written)")
      try promise(DIDL.items(written, limit: 2).count == 1, "isn't one item: \(written)")
    }
  }

  /// Stations are what control points are offered: each has an address, in metadata that they can read.
  private static func presets(_ stations: [PlaylistDocument.Entry]) throws {
    try promise(stations.count <= PlaylistDocument.maximumEntries, "\(stations.count) stations")
    for station in stations.prefix(20).map(\.station) {
      let items = DIDL.items(station.metadata, limit: 2)
      try promise(items.count == 1, "isn't one item: \(station.metadata)")
      try promise(items.first?.resources.first?.uri.isEmpty == false, "no address: \(station.metadata)")
      try promise(
        station.metadata.utf8.count <= 2048 || station.uri.utf8.count > 150, "too much: \(station.metadata)")
    }
  }

  /// A list that somebody gives us to be kept: what is taken of it can be written and read again.
  private static func imports(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let parts = ListParts.parts(text, most: 300) {
      try promise(parts.allSatisfy { $0.utf8.count <= 300 }, "a part that is too long")
    }
    let policy = URIPolicy()
    guard let list = try? ImportedList(text, most: 20, allows: policy.allows) else { return }
    try promise(list.tracks.count + list.refused <= 20, "\(list.tracks.count) tracks")
    try promise(list.tracks.allSatisfy { policy.allows($0.uri) }, "an address that is refused")
    guard !list.tracks.isEmpty else { return }
    for format in PlaylistText.Format.allCases {
      let writer = PlaylistText(format, name: text)
      let body = list.tracks.map { writer.track(PlaylistDocument.Entry($0)) }.joined()
      let again = try? ImportedList(writer.head + body + writer.tail, most: 100, allows: policy.allows)
      try promise(
        again?.tracks.count == list.tracks.count, "\(again?.tracks.count ?? -1) tracks in \(format): \(body)")
    }
  }

  /// A list of tracks or stations, as a server of somebody else's sends it.
  static let playlist = FuzzTarget(
    name: "playlist", maximumLength: 8192,
    words: [
      "#EXTM3U\n", "#EXTINF:123,", "#EXTINF:-1 tvg-id=\"a\",", "#EXT-X-STREAM-INF:", "http://", "https://",
      "file:///",
      "[playlist]\n", "File1=", "Title1=", "Length1=", "NumberOfEntries=", "../", "//", "<DIDL-Lite>",
      "<item>", "<res>",
      "\u{feff}", "\r\n", "?", "#", "%2e%2e", "File99999999999999999999=", "1e308", "nan", "inf",
      "[Reference]\n", "Ref1=", "#EXTIMG:", "#EXTART:", "#EXTALB:", " tvg-logo=\"", "</", "/>", "&amp;",
      "<!DOCTYPE",
      "<?xml version=\"1.0\"?>",
      "<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">", "<trackList>", "<track>", "<location>",
      "<duration>",
      "<image>", "</track>", "<ASX version=\"3.0\">", "<entry>", "<ref href=\"", "<entryref href=\"",
      "</entry>",
      "<opml>", "<body>", "<outline ", "type=\"audio\" ", "URL=\"", "text=\"", "</outline>",
    ]
  ) { bytes in
    try imports(bytes)
    for base in ["http://192.0.2.1/music/list.m3u?x=y", "file:///srv/music/list.m3u", "not a base"] {
      try presets(PlaylistDocument.stations(bytes, from: base))
      guard case .tracks(let tracks) = PlaylistDocument.read(bytes, from: base) else { continue }
      try promise((1...PlaylistDocument.maximumEntries).contains(tracks.count), "\(tracks.count) tracks")
      for track in tracks.prefix(20) {
        try promise(DIDL.items(track.metadata, limit: 2).count == 1, "isn't one item: \(track.metadata)")
      }
      for track in tracks {
        let scheme = track.uri.prefix { $0 != ":" }.lowercased()
        let allowed = base.hasPrefix("file:") ? ["http", "https", "file"] : ["http", "https"]
        try promise(allowed.contains(scheme), "\(track.uri) from \(base)")
        try promise(track.uri.utf8.count <= 3 * 4096 + 64, "a URI of \(track.uri.utf8.count) bytes")
        try promise(track.durationHint.map { $0 >= .zero } ?? true, "a duration below zero")
      }
    }
  }
}
