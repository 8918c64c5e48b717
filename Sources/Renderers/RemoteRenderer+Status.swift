import ControlPoint
import DIDLLite
import UPnP

/// What a renderer does.
extension RemoteRenderer {
  /// The type of the OpenHome source that is chosen; nil without OpenHome.
  package func sourceType() async -> String? {
    guard isOpenHome, !services.contains(.transport) else { return nil }
    return await source()?.type
  }

  /// The OpenHome source that is chosen.
  package func source() async -> RendererSource? {
    guard isOpenHome else { return nil }
    async let index = ask(.product, "SourceIndex")
    async let list = ask(.product, "SourceXml")
    let sources = RendererSource.list(await list?.text("Value") ?? "")
    guard let chosen = (await index?.text("Value")).flatMap({ Int($0) }) else { return nil }
    return sources.first { $0.index == chosen }
  }

  /// What the renderer does.
  ///
  /// - Throws: ``RendererFailure`` if it doesn't say whether it plays.
  package func status() async throws(RendererFailure) -> PlayerStatus {
    isOpenHome ? try await openHomeStatus() : try await avStatus()
  }

  /// What it does, while its source is of that type; nil if nothing says.
  func state(source: String?) async throws(RendererFailure) -> PlayerStatus.State? {
    guard let path = TransportPath.choose(services, source: source) else { return nil }
    return try await state(by: path)
  }

  private func state(by path: TransportPath) async throws(RendererFailure) -> PlayerStatus.State {
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
      let results = try await controlPoint.service(location).call(
        action, arguments, isRepeatable: true)
      return PlayerStatus.State(wire: results.text(result))
    }
  }

  private func result(by path: TransportPath) async -> Result<PlayerStatus.State, RendererFailure> {
    do throws(RendererFailure) { return .success(try await state(by: path)) } catch { return .failure(error) }
  }

  private func openHomeStatus() async throws(RendererFailure) -> PlayerStatus {
    async let source = source()
    async let standby = ask(.product, "Standby")
    async let track = ask(.info, "Track")
    async let details = ask(.info, "Details")
    async let metatext = ask(.info, "Metatext")
    async let time = ask(.time, "Time")
    async let volume = ask(.volume, "Volume")
    async let mute = ask(.volume, "Mute")
    async let known = services.contains(.transport) ? result(by: .transport) : nil
    let chosen = await source
    var status = PlayerStatus(renderer: name, udn: udn)
    status.page = devices.lazy.compactMap(\.page).first
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
    if let state = await known {
      status.state = try state.get()
    } else if let path = TransportPath.choose(services, source: chosen?.type) {
      status.state = try await state(by: path)
    }
    if chosen?.type == "Playlist", let queue = try? await queueIDs(), !queue.ids.isEmpty {
      status.tracks = queue.ids.count
      status.trackID = queue.current
      status.track = queue.current.flatMap { queue.ids.firstIndex(of: $0) }.map { $0 + 1 }
    }
    return status
  }

  private func avStatus() async throws(RendererFailure) -> PlayerStatus {
    let instance = [("InstanceID", "0")]
    async let state = result(by: .avTransport)
    async let position = ask(.avTransport, "GetPositionInfo", instance)
    async let media = ask(.avTransport, "GetMediaInfo", instance)
    async let volume = ask(.renderingControl, "GetVolume", instance + [("Channel", "Master")])
    async let mute = ask(.renderingControl, "GetMute", instance + [("Channel", "Master")])
    var status = PlayerStatus(renderer: name, udn: udn)
    status.page = devices.lazy.compactMap(\.page).first
    status.state = try await state.get()
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
