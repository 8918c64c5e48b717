import DIDLLite
import NIOCore
import XML

@testable import ControlPoint

extension FuzzTarget {
  /// What a media server lists, up to what a renderer gets of it.
  static let browse = FuzzTarget(
    name: "browse", maximumLength: 8192,
    words: [
      "<?xml version=\"1.0\"?>", "<DIDL-Lite xmlns=\"urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/\"",
      " xmlns:dc=\"http://purl.org/dc/elements/1.1/\"", " xmlns:pv=\"a\"", "<item id=\"1\" parentID=\"0\">",
      "</item>",
      "<container id=\"1\" childCount=\"2\">", "</container>", "<item id=\"2\"/>", "</DIDL-Lite>",
      "<dc:title>", "</dc:title>", "<upnp:class>object.item.audioItem.musicTrack</upnp:class>",
      "<upnp:artist role=\"AlbumArtist\">", "<upnp:originalTrackNumber>3/12</upnp:originalTrackNumber>",
      "<upnp:albumArtURI dlna:profileID=\"JPEG_TN\">/art.jpg</upnp:albumArtURI>",
      "<res protocolInfo=\"http-get:*:audio/x-flac:DLNA.ORG_PN=A;DLNA.ORG_OP=01;DLNA.ORG_CI=1\"",
      " duration=\"0:03:20.5\"", " size=\"9999999999999999999\"", " bitrate=\"-1\"",
      ">http://192.0.2.1/a</res>",
      ">//a/b</res>", "http-get:*:audio/L16;rate=44100;channels=2:*,", "\\,", "&lt;", "&amp;amp;", "&nbsp;",
      "&",
      "&#1;",
      "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE", "\u{1}", "'", "\"", ">", "<?",
    ]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let answer = BrowseAnswer(
      result: text, numberReturned: UInt32(bytes.count), totalMatches: UInt32(bytes.count % 7))
    let page = BrowsePage(answer, base: "http://192.0.2.1:8200/root.xml")
    try promise(page.objects.count <= BrowsePage.maximumObjects, "\(page.objects.count) objects")
    let renderer = RendererReach(formats: SinkFormats(String(text.prefix(512))))
    for object in page.objects.prefix(20) { try listed(object, renderer) }

    var listing = Listing()
    var requests = 0
    while case .ask = listing.next {
      requests += 1
      try promise(requests < 100, "a listing that doesn't end")
      let new = listing.answered(page)
      try promise(requests == 1 || new.isEmpty, "an object twice")
    }
    // Each of its containers lists the same.
    guard page.objects.count <= 50 else { return }
    var walk = ContainerWalk(
      MediaObject(id: "0", isContainer: true, title: "", mediaClass: MediaClass("object.container")))
    requests = 0
    while case .browse = walk.next {
      requests += 1
      try promise(requests <= WalkLimits().requests, "a walk that doesn't end")
      walk.answered(page)
    }
    try promise(walk.taken.count <= WalkLimits().tracks, "\(walk.taken.count) tracks")
  }

  private static func listed(_ object: MediaObject, _ renderer: RendererReach) throws {
    try promise(object.id.utf8.count <= MediaObject.maximumIDLength, "an id of \(object.id.utf8.count)")
    try promise(object.title.unicodeScalars.count <= MediaObject.maximumTextLength, object.title)
    for address in object.resources.map(\.address) + object.art.map(\.address) {
      try promise(address.utf8.contains(UInt8(ascii: ":")), "isn't absolute: \(address)")
      try promise(address.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "a control character: \(address)")
    }
    for resource in object.resources {
      try promise(resource.duration.map { $0 > .zero } ?? true, "a duration of \(resource.duration ?? .zero)")
      try promise((resource.bitsPerSecond ?? 0) >= 0, "\(resource.bitsPerSecond ?? 0) bits per second")
    }
    for resource in [nil, object.resources.first] {
      let metadata = object.metadata(for: resource)
      try promise(XMLReading.isWellFormed(ByteBuffer(string: metadata)), "can't be read: \(metadata)")
      try promise(DIDL.items(metadata, limit: 2).count == 1, "isn't one object: \(metadata)")
    }
    if let resource = try? object.resource(for: renderer) {
      try promise(object.resources.contains(resource), "a resource of another object")
    }
    for kind in SearchedKind.allCases {
      let all = ContentCapabilities(search: "*", sort: object.title)
      for criteria in kind.criteria(object.title, all) {
        try promise(criteria.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, criteria.text)
      }
    }
  }
}
