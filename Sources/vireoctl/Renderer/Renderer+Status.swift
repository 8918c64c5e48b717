import ControlPoint
import DIDLLite
import Proxies
import UPnP
import XML

/// An OpenHome source: what a renderer plays from.
struct RendererSource: Sendable, Hashable {
  var index: Int
  var name: String
  var type: String
  var isVisible: Bool

  /// Reads a SourceXml (OpenHome Product).
  static func list(_ xml: String) -> [RendererSource] {
    guard let root = LenientXML.parse(xml, limit: 2000) else { return [] }
    return root.children("Source").prefix(100).enumerated().map { index, source in
      RendererSource(
        index: index, name: source.text(of: "Name") ?? "", type: source.text(of: "Type") ?? "",
        isVisible: source.text(of: "Visible").map { $0 != "false" && $0 != "0" } ?? true)
    }
  }
}

extension Renderer {
  /// The type of the OpenHome source that is chosen; nil without OpenHome.
  func sourceType() async -> String? {
    guard isOpenHome, !services.contains(.transport) else { return nil }
    return await source()?.type
  }

  /// The OpenHome source that is chosen.
  func source() async -> RendererSource? {
    guard isOpenHome else { return nil }
    async let index = ask(.product, "SourceIndex")
    async let list = ask(.product, "SourceXml")
    let sources = RendererSource.list(await list?.text("Value") ?? "")
    guard let chosen = (await index?.text("Value")).flatMap({ Int($0) }) else { return nil }
    return sources.first { $0.index == chosen }
  }

  /// The service that plays and pauses now.
  func path() async throws -> TransportPath {
    guard let path = TransportPath.choose(services, source: await sourceType()) else {
      throw Failure(.refused, "\(name) has nothing to be controlled by")
    }
    return path
  }

  /// What the renderer does.
  ///
  /// - Throws: ``Failure`` if it doesn't say whether it plays.
  func status() async throws -> PlayerStatus {
    isOpenHome ? try await openHomeStatus() : try await avStatus()
  }

  private func state(by path: TransportPath) async throws -> PlayerStatus.State {
    try await attempt { () async throws(ActionFailure) -> PlayerStatus.State in
      let (service, action, result): (RendererService, String, String) =
        switch path {
        case .transport: (.transport, "TransportState", "State")
        case .playlist: (.playlist, "TransportState", "Value")
        case .radio: (.radio, "TransportState", "Value")
        case .avTransport: (.avTransport, "GetTransportInfo", "CurrentTransportState")
        }
      guard let location = location(service) else { throw .unreachable }
      let arguments = path == .avTransport ? [SOAPArgument(name: "InstanceID", text: "0")] : []
      let results = try await session.controlPoint.service(location).call(
        action, arguments, isRepeatable: true)
      return PlayerStatus.State(wire: results.text(result))
    }
  }

  private func openHomeStatus() async throws -> PlayerStatus {
    async let source = source()
    async let standby = ask(.product, "Standby")
    async let track = ask(.info, "Track")
    async let details = ask(.info, "Details")
    async let metatext = ask(.info, "Metatext")
    async let time = ask(.time, "Time")
    async let volume = ask(.volume, "Volume")
    async let mute = ask(.volume, "Mute")
    async let known: PlayerStatus.State? =
      services.contains(.transport) ? try await state(by: .transport) : nil
    let chosen = await source
    var status = PlayerStatus(renderer: name, udn: udn)
    (status.source, status.sourceType) = (chosen?.name, chosen?.type)
    if chosen?.type == "UpnpAv", services.contains(.avTransport), !services.contains(.info) {
      return try await avStatus()
    }
    status.isStandby = (await standby?.text("Value")).flatMap { Bool(wire: $0) }
    if let track = await track { status.take(metadata: track.text("Metadata"), uri: track.text("Uri")) }
    // A station's song.
    if let text = await metatext?.text("Value"), chosen?.type == "Radio" {
      status.take(metadata: text, uri: "")
    }
    if let time = await time {
      status.position = PlayTime.bounded(time.text("Seconds"))
      let duration = PlayTime.bounded(time.text("Duration")) ?? 0
      if duration > 0 { status.duration = duration }
      status.isHeard = status.position != 0 || duration > 0
    }
    if let details = await details, !details.text("CodecName").isEmpty {
      let rate = Int(details.text("SampleRate")).flatMap { $0 > 0 ? "\(Double($0) / 1000) kHz" : nil }
      status.format = [details.text("CodecName"), rate].compactMap(\.self).joined(separator: " ")
      status.isHeard = true
    }
    status.volume = (await volume?.text("Value")).flatMap { Int($0) }
    status.isMuted = (await mute?.text("Value")).flatMap { Bool(wire: $0) }
    if let state = try await known {
      status.state = state
    } else if let path = TransportPath.choose(services, source: chosen?.type) {
      status.state = try await state(by: path)
    }
    if chosen?.type == "Playlist", let queue = try? await QueueList.ids(of: self), !queue.ids.isEmpty {
      status.tracks = queue.ids.count
      status.trackID = queue.current
      status.track = queue.current.flatMap { queue.ids.firstIndex(of: $0) }.map { $0 + 1 }
    }
    return status
  }

  private func avStatus() async throws -> PlayerStatus {
    let instance = [("InstanceID", "0")]
    async let state = state(by: .avTransport)
    async let position = ask(.avTransport, "GetPositionInfo", instance)
    async let media = ask(.avTransport, "GetMediaInfo", instance)
    async let volume = ask(.renderingControl, "GetVolume", instance + [("Channel", "Master")])
    async let mute = ask(.renderingControl, "GetMute", instance + [("Channel", "Master")])
    var status = PlayerStatus(renderer: name, udn: udn)
    status.state = try await state
    if let media = await media {
      status.take(metadata: media.text("CurrentURIMetaData"), uri: media.text("CurrentURI"))
      status.givenURI = status.uri
    }
    if let position = await position {
      status.take(metadata: position.text("TrackMetaData"), uri: position.text("TrackURI"))
      status.position = ClockTime.duration(position.text("RelTime")).map { Int($0.components.seconds) }
      let duration = ClockTime.duration(position.text("TrackDuration")).map { Int($0.components.seconds) }
      if let duration, duration > 0 { status.duration = duration }
      status.isHeard = status.position != 0 || (duration ?? 0) > 0
    }
    status.volume = (await volume?.text("CurrentVolume")).flatMap { Int($0) }
    status.isMuted = (await mute?.text("CurrentMute")).flatMap { Bool(wire: $0) }
    return status
  }
}
