import ControlPoint
import DIDLLite
import Proxies

/// Play, pause and so on, by whichever service does it now.
extension RemoteRenderer {
  package enum Command: Sendable, Hashable {
    case play, pause, stop, next, previous
  }

  /// The service that plays and pauses now.
  package func path() async throws(RendererFailure) -> TransportPath {
    guard let path = TransportPath.choose(services, source: await sourceType()) else {
      throw .impossible("it has nothing to be controlled by")
    }
    return path
  }

  package func perform(_ command: Command) async throws(RendererFailure) {
    switch try await path() {
    case .transport:
      let transport: Transport1.Proxy = try proxy(.transport)
      try await attempt { () async throws(ActionFailure) in
        switch command {
        case .play: try await transport.play()
        case .pause: try await transport.pause()
        case .stop: try await transport.stop()
        case .next: try await transport.skipNext()
        case .previous: try await transport.skipPrevious()
        }
      }
    case .playlist:
      let playlist: Playlist1.Proxy = try proxy(.playlist)
      try await attempt { () async throws(ActionFailure) in
        switch command {
        case .play: try await playlist.play()
        case .pause: try await playlist.pause()
        case .stop: try await playlist.stop()
        case .next: try await playlist.next()
        case .previous: try await playlist.previous()
        }
      }
    case .radio: try await perform(command, byRadio: try proxy(.radio))
    case .avTransport:
      let transport: AVTransport1.Proxy = try proxy(.avTransport)
      try await attempt { () async throws(ActionFailure) in
        switch command {
        case .play: try await transport.play(speed: ._1)
        case .pause: try await transport.pause()
        case .stop: try await transport.stop()
        case .next: try await transport.next()
        case .previous: try await transport.previous()
        }
      }
    }
  }

  private func perform(_ command: Command, byRadio radio: Radio2.Proxy) async throws(RendererFailure) {
    try await attempt { () async throws(ActionFailure) in
      switch command {
      case .play: try await radio.play()
      case .pause: try await radio.pause()
      case .stop: try await radio.stop()
      case .next, .previous:
        let (ids, current) = (IdList.ids(try await radio.idArray().array), try await radio.id())
        guard let index = ids.firstIndex(of: current) else {
          throw .fault(.invalidArgs("no station is chosen"))
        }
        let next = command == .next ? index + 1 : index - 1
        guard ids.indices.contains(next) else { throw .fault(.invalidArgs("there are no more stations")) }
        let entry = EntryDocument.entries(try await radio.readList(idList: String(ids[next]))).first
        try await radio.setId(value: ids[next], uri: entry?.uri ?? "")
        try await radio.play()
      }
    }
  }

  /// Plays from that second on.
  package func seek(toSecond second: Int) async throws(RendererFailure) {
    switch try await path() {
    case .transport:
      let transport: Transport1.Proxy = try proxy(.transport)
      try await attempt { () async throws(ActionFailure) in
        let stream = try await transport.streamId()
        try await transport.seekSecondAbsolute(streamId: stream, secondAbsolute: UInt32(clamping: second))
      }
    case .playlist:
      let playlist: Playlist1.Proxy = try proxy(.playlist)
      try await attempt { () async throws(ActionFailure) in
        try await playlist.seekSecondAbsolute(value: UInt32(clamping: second))
      }
    case .radio:
      let radio: Radio2.Proxy = try proxy(.radio)
      try await attempt { () async throws(ActionFailure) in
        try await radio.seekSecondAbsolute(value: UInt32(clamping: second))
      }
    case .avTransport:
      let transport: AVTransport1.Proxy = try proxy(.avTransport)
      try await attempt { () async throws(ActionFailure) in
        try await transport.seek(unit: .relTime, target: ClockTime.text(.seconds(second)))
      }
    }
  }

  /// Chooses the first source of that type, if it isn't chosen already.
  package func choose(_ type: String) async throws(RendererFailure) {
    guard services.contains(.product) else { return }
    let product: Product4.Proxy = try proxy(.product)
    try await attempt { () async throws(ActionFailure) in
      let sources = RendererSource.list(try await product.sourceXml())
      let current = Int(try await product.sourceIndex())
      guard sources.first(where: { $0.index == current })?.type != type,
        let source = sources.first(where: { $0.type == type })
      else { return }
      try await product.setSourceIndex(value: UInt32(source.index))
    }
  }
}
