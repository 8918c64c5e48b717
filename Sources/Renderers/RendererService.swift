/// The services that renderers have, without versions.
package enum RendererService: String, Sendable, Hashable, CaseIterable {
  case product = "urn:av-openhome-org:service:Product"
  case playlist = "urn:av-openhome-org:service:Playlist"
  case radio = "urn:av-openhome-org:service:Radio"
  case volume = "urn:av-openhome-org:service:Volume"
  case info = "urn:av-openhome-org:service:Info"
  case time = "urn:av-openhome-org:service:Time"
  case transport = "urn:av-openhome-org:service:Transport"
  case sender = "urn:av-openhome-org:service:Sender"
  case receiver = "urn:av-openhome-org:service:Receiver"
  case pins = "urn:av-openhome-org:service:Pins"
  case avTransport = "urn:schemas-upnp-org:service:AVTransport"
  case renderingControl = "urn:schemas-upnp-org:service:RenderingControl"
  case connectionManager = "urn:schemas-upnp-org:service:ConnectionManager"
}

/// By which service a renderer is told to play, pause and so on.
package enum TransportPath: Sendable, Hashable {
  case transport, playlist, radio, avTransport

  /// - Parameter source: the type of the OpenHome source that is chosen: `Playlist`, `Radio`, `UpnpAv` and others.
  package static func choose(_ services: Set<RendererService>, source: String?) -> TransportPath? {
    if services.contains(.transport) { return .transport }
    switch source {
    case "Playlist" where services.contains(.playlist): return .playlist
    case "Radio" where services.contains(.radio): return .radio
    case "UpnpAv" where services.contains(.avTransport): return .avTransport
    default: break
    }
    if services.contains(.avTransport) { return .avTransport }
    return services.contains(.playlist) ? .playlist : nil
  }
}
