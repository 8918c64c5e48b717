import DIDLLite
import XML

extension MediaObject {
  /// The DIDL-Lite that a renderer gets with the address of `resource`: the object as its server sent it, else written
  /// anew.
  ///
  /// Servers leave out resources, and send what isn't XML.
  public func metadata(for resource: MediaResource? = nil) -> String {
    if let sent, resource?.isAsSent != false,
      resource == nil || resources.contains(where: { $0.address == resource?.address }),
      let document = sent.document
    {
      return document
    }
    return written(with: resource.map { [$0] } ?? resources)
  }

  private func written(with resources: [MediaResource]) -> String {
    let name = isContainer ? "container" : "item"
    var text = "<\(name) id=\"\(XMLEscaping.attribute(id.isEmpty ? "0" : id))\""
    text += " parentID=\"\(XMLEscaping.attribute(parentID.isEmpty ? "-1" : parentID))\" restricted=\"1\">"
    text += DIDLWriter.element("dc:title", title)
    if let creator = creator ?? artist { text += DIDLWriter.element("dc:creator", creator) }
    for artist in artists {
      let role = artist.role.map { " role=\"\(XMLEscaping.attribute($0))\"" } ?? ""
      text += "<upnp:artist\(role)>\(XMLEscaping.text(artist.name))</upnp:artist>"
    }
    if let album { text += DIDLWriter.element("upnp:album", album) }
    for genre in genres { text += DIDLWriter.element("upnp:genre", genre) }
    if let date { text += DIDLWriter.element("dc:date", date) }
    if let discNumber { text += DIDLWriter.element("upnp:originalDiscNumber", "\(discNumber)") }
    if let trackNumber { text += DIDLWriter.element("upnp:originalTrackNumber", "\(trackNumber)") }
    for art in art.prefix(2) { text += DIDLWriter.element("upnp:albumArtURI", art.address) }
    let known = mediaClass.text.isEmpty ? nil : mediaClass.text
    let standard = isContainer ? "object.container" : DIDLWriter.trackClass
    text += DIDLWriter.element("upnp:class", known ?? standard)
    for resource in resources { text += resource.written }
    return DIDLWriter.document(text + "</\(name)>")
  }
}

extension MediaResource {
  fileprivate var written: String {
    let info = protocolInfo?.description ?? "http-get:*:\(MIMEType(ofFile: address)?.name ?? "*"):*"
    var text = "<res protocolInfo=\"\(XMLEscaping.attribute(info))\""
    let numbers: [(String, Int64?)] = [
      ("size", size), ("bitrate", sentBitRate.map(Int64.init)),
      ("sampleFrequency", sampleRate.map(Int64.init)),
      ("bitsPerSample", bitsPerSample.map(Int64.init)), ("nrAudioChannels", channels.map(Int64.init)),
    ]
    for (name, number) in numbers {
      if let number { text += " \(name)=\"\(number)\"" }
    }
    if let duration { text += " duration=\"\(ClockTime.text(duration))\"" }
    return text + ">\(XMLEscaping.text(address))</res>"
  }
}
