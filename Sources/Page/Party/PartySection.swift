import JSON
import Party

/// The section `party`: what hosts and guests see alike. Nobody's token is in it.
public struct PartySection: PageSection {
  let desk: PartyDesk
  let pictures: any PictureAddresses

  public init(desk: PartyDesk, pictures: any PictureAddresses) {
    self.desk = desk
    self.pictures = pictures
  }

  public var version: Int { desk.assumeIsolated { $0.version } }

  /// The section as it is now.
  var value: API.Party {
    let (session, version, address, now) = desk.assumeIsolated {
      ($0.session, $0.version, $0.address, $0.now)
    }
    guard let session else { return API.Party(version: version, isRunning: false, guests: 0, requests: []) }
    let requests = session.shown.map { API.PartyRequest($0, in: session, pictures) }
    pictures.keep(requests.compactMap(\.art), for: .party)
    return API.Party(
      version: version, isRunning: true, mode: API.Party.Mode(session.mode), code: session.code,
      address: address, seconds: (session.end - now).seconds(roundedUp: true), votes: session.rules.hasVotes,
      guests: session.guests.count, requests: requests)
  }

  public func write(to json: inout JSONWriter) { value.write(to: &json) }
}

extension API.Party.Mode {
  fileprivate init(_ mode: PartyMode) {
    switch mode {
    case .ask: self = .ask
    case .add: self = .add
    }
  }
}

extension API.PartyRequest {
  init(_ request: PartyRequest, in session: PartySession, _ pictures: any PictureAddresses) {
    let song = request.song
    let (state, track): (State, UInt32?) =
      switch request.state {
      case .asked: (.asked, nil)
      case .queued(let track): (.queued, track)
      case .playing(let track): (session.isCued(request) ? .queued : .playing, track)
      case .played: (.played, nil)
      case .refused: (.refused, nil)
      case .removed: (.removed, nil)
      }
    self.init(
      id: request.id, guest: request.guest, name: session.name(ofGuest: request.guest), title: song.title,
      artist: song.artist, album: song.album,
      seconds: song.duration.map { Double($0.components.seconds) },
      art: song.picture.flatMap { pictures.address(of: $0) },
      state: state, votes: request.voters.count, next: request.wantsNext, track: track.map { Int($0) })
  }
}

extension Duration {
  /// Whole seconds, never below zero.
  func seconds(roundedUp: Bool) -> Int {
    let (seconds, rest) = components
    return max(0, Int(clamping: seconds) + (roundedUp && rest > 0 ? 1 : 0))
  }
}
