import ControlPoint
import DIDLLite
import Proxies

/// Play, pause and so on, by whichever service does it now.
extension Renderer {
  enum Command: Sendable, Hashable {
    case play, pause, stop, next, previous
  }

  func perform(_ command: Command) async throws {
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

  private func perform(_ command: Command, byRadio radio: Radio2.Proxy) async throws {
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

  func seek(_ target: SeekTarget) async throws {
    let status = try await status()
    do {
      try await seek(target, status)
    } catch let failure as Failure where failure.status == .refused && status.state == .stopped {
      // Whatever the renderer calls it.
      throw Failure(.refused, "nothing is playing on \(name)")
    }
  }

  private func seek(_ target: SeekTarget, _ status: PlayerStatus) async throws {
    guard let second = target.second(position: status.position, duration: status.duration),
      second <= Int(Int32.max)
    else {
      throw Failure(.refused, "\(name) doesn't say where it is, or how long the track is")
    }
    let path = try await path()
    switch path {
    case .transport:
      let transport: Transport1.Proxy = try proxy(.transport)
      try await attempt { () async throws(ActionFailure) in
        let stream = try await transport.streamId()
        try await transport.seekSecondAbsolute(streamId: stream, secondAbsolute: UInt32(second))
      }
    case .playlist:
      let playlist: Playlist1.Proxy = try proxy(.playlist)
      try await attempt { () async throws(ActionFailure) in
        try await playlist.seekSecondAbsolute(value: UInt32(second))
      }
    case .radio:
      let radio: Radio2.Proxy = try proxy(.radio)
      try await attempt { () async throws(ActionFailure) in
        try await radio.seekSecondAbsolute(value: UInt32(second))
      }
    case .avTransport:
      let transport: AVTransport1.Proxy = try proxy(.avTransport)
      try await attempt { () async throws(ActionFailure) in
        try await transport.seek(unit: .relTime, target: ClockTime.text(.seconds(second)))
      }
    }
  }
}
