import ControlPoint
import DIDLLite
import Proxies

/// A renderer as a room of a group.
extension RemoteRenderer {
  private static let receiverType = RendererSource.receiverType

  /// True if it can send to other rooms, or play what they send.
  package var isRoom: Bool { isOpenHome && (services.contains(.sender) || services.contains(.receiver)) }

  /// The room as it is now.
  ///
  /// - Throws: ``RendererFailure`` if it doesn't answer, or is no room.
  package func room() async throws(RendererFailure) -> Room {
    guard isRoom, let device = devices.first(where: { $0.udn == udn }) else { throw .lacks(.receiver) }
    let facts = DeviceFacts(device)
    async let product = ask(.product, "Product")
    async let source = source()
    async let standby = ask(.product, "Standby")
    async let sender = ask(.sender, "Metadata")
    async let status = senderStatus()
    async let receiver = receiver()
    async let volume = ask(.volume, "Volume")
    async let limit = ask(.volume, "VolumeLimit")
    async let mute = ask(.volume, "Mute")
    async let track = ask(.info, "Track")
    async let metatext = ask(.info, "Metatext")
    var room = Room(udn: udn, name: name, address: facts.address)
    let named = await product
    if named == nil, !services.contains(.receiver) { throw .call(.unreachable) }
    if let text = named?.text("Room"), !text.isEmpty { room.name = text }
    room.model = facts.model
    room.canSend = services.contains(.sender)
    room.canReceive = services.contains(.receiver)
    if let found = (await sender?.text("Value")).flatMap({ RoomSender(metadata: $0) }) {
      (room.senderURI, room.senderMetadata) = (found.uri, found.metadata)
    }
    room.senderStatus = await status
    if let set = try await receiver.get() {
      (room.receiverURI, room.receiverMetadata, room.receiverState) = (set.uri, set.metadata, set.state)
    }
    let chosen = await source?.type
    room.isReceiverActive = chosen == Self.receiverType
    room.isStandby = (await standby?.text("Value")).flatMap { Bool(wire: $0) }
    room.volume = (await volume?.text("Value")).flatMap { Int($0) }
    room.volumeLimit = (await limit?.text("Value")).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    room.isMuted = (await mute?.text("Value")).flatMap { Bool(wire: $0) }
    var shown = PlayerStatus(renderer: room.name, udn: udn)
    if let track = await track { shown.take(metadata: track.text("Metadata"), uri: track.text("Uri")) }
    // A station's song, also one that another room plays.
    if let text = await metatext?.text("Value"), chosen == "Radio" || room.isReceiverActive {
      shown.take(metadata: text, uri: "")
    }
    (room.title, room.artist) = (shown.title, shown.artist)
    if room.isReceiverActive {
      room.state = PlayerStatus.State(wire: room.receiverState.rawValue)
    } else {
      room.state = (try? await state(source: chosen)) ?? .stopped
    }
    return room
  }

  /// Nil if there is no sender, or it doesn't say.
  private func senderStatus() async -> Room.SenderStatus? {
    guard services.contains(.sender) else { return nil }
    if let status = (await ask(.sender, "Status2")).flatMap({ Room.SenderStatus(wire: $0.text("Value")) }) {
      return status
    }
    async let audio = ask(.sender, "Audio")
    guard let status = await ask(.sender, "Status") else { return nil }
    let hasAudio = (await audio?.text("Value")).flatMap { Bool(wire: $0) } ?? false
    return Room.SenderStatus(status: status.text("Value"), hasAudio: hasAudio)
  }

  private struct SetReceiver {
    var uri: String
    var metadata: String
    var state: Room.ReceiverState
  }

  /// Nil if there is none.
  private func receiver() async -> Result<SetReceiver?, RendererFailure> {
    guard services.contains(.receiver) else { return .success(nil) }
    async let state = ask(.receiver, "TransportState")
    do throws(RendererFailure) {
      let receiver: Receiver1.Proxy = try proxy(.receiver)
      let set = try await attempt { () async throws(ActionFailure) in try await receiver.sender() }
      let word = await state?.text("Value") ?? ""
      return .success(
        SetReceiver(uri: set.uri, metadata: set.metadata, state: Room.ReceiverState(wire: word)))
    } catch { return .failure(error) }
  }

  /// Sets the receiver to a sender, and lets it play: at once if that plays, else as soon as it does.
  package func listen(to sender: RoomSender) async throws(RendererFailure) {
    let receiver: Receiver1.Proxy = try proxy(.receiver)
    try await attempt { () async throws(ActionFailure) in
      try await receiver.setSender(uri: sender.uri, metadata: sender.metadata)
    }
    // Many choose the receiver by themselves then, and leave standby.
    if (await ask(.product, "Standby")?.text("Value")).flatMap({ Bool(wire: $0) }) == true {
      let product: Product4.Proxy = try proxy(.product)
      try await attempt { () async throws(ActionFailure) in try await product.setStandby(value: false) }
    }
    try await choose(Self.receiverType)
    try await attempt { () async throws(ActionFailure) in try await receiver.play() }
  }

  /// Stops the receiver, and goes back to the room's own music: its queue, else its first source.
  package func stopListening() async throws(RendererFailure) {
    let receiver: Receiver1.Proxy = try proxy(.receiver)
    try await attempt { () async throws(ActionFailure) in try await receiver.stop() }
    guard services.contains(.product), await source()?.type == Self.receiverType else { return }
    let product: Product4.Proxy = try proxy(.product)
    try await attempt { () async throws(ActionFailure) in
      let sources = RendererSource.list(try await product.sourceXml())
      guard let next = RendererSource.own(among: sources) else { return }
      try await product.setSourceIndex(value: UInt32(next.index))
    }
  }

  /// Runs calls at several rooms at once; the results are in the order of the rooms.
  package static func each<Value: Sendable>(
    of renderers: [RemoteRenderer],
    _ body: @escaping @Sendable (RemoteRenderer) async throws(RendererFailure) -> Value
  ) async -> [Result<Value, RendererFailure>] {
    await withTaskGroup(of: (Int, Result<Value, RendererFailure>).self) { group in
      for (index, renderer) in renderers.enumerated() {
        group.addTask {
          do throws(RendererFailure) {
            return (index, .success(try await body(renderer)))
          } catch { return (index, .failure(error)) }
        }
      }
      var results = [Result<Value, RendererFailure>?](repeating: nil, count: renderers.count)
      for await (index, result) in group { results[index] = result }
      return results.map { $0 ?? .failure(.call(.cancelled)) }
    }
  }
}
