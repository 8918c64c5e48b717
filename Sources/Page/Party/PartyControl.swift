import DIDLLite
import HTTP
import Party
import Player

/// Answers what is asked for below `/api/v1/party`.
public struct PartyControl: PartyHandlers {
  /// How long a media server may take to tell of a song.
  static let time = Duration.seconds(15)
  /// What guests do; all else is the host's.
  static let operationsOfGuests: Set<API.Operation> = [
    .joinParty, .requestSong, .withdrawRequest, .addVote, .takeVoteBack,
  ]

  let desk: PartyDesk
  let section: PartySection
  let playerSection: PlayerSection
  let player: PlayerCore
  let places: any MediaPlaces

  public init(
    desk: PartyDesk, section: PartySection, playerSection: PlayerSection, player: PlayerCore,
    places: any MediaPlaces
  ) {
    self.desk = desk
    self.section = section
    self.playerSection = playerSection
    self.player = player
    self.places = places
  }

  // MARK: The host

  public func getParty(_ context: APIContext) -> Reply<API.Party> { .value(section.value) }

  public func startParty(_ body: API.PartyStart, _ context: APIContext) -> Reply<API.Party> {
    party { desk throws(PartyRefusal) in
      try desk.start(PartyMode(body.mode), length: Self.length(body.hours))
    }
  }

  public func changeParty(_ body: API.PartyChange, _ context: APIContext) -> Reply<API.Party> {
    party { desk throws(PartyRefusal) in
      let now = desk.now
      try desk.change { session, _ throws(PartyRefusal) in
        session.change(
          mode: body.mode.map { PartyMode($0) }, length: Self.length(body.hours), at: now)
        return ((), [])
      }
    }
  }

  public func stopParty(_ context: APIContext) -> Reply<Done> {
    done { desk throws(PartyRefusal) in try desk.stop() }
  }

  public func decideRequest(id: Int, _ body: API.PartyDecision, _ context: APIContext) -> Reply<Done> {
    done { desk throws(PartyRefusal) in
      try desk.change { session, _ throws(PartyRefusal) in
        switch body.decision {
        case .accept: ((), try session.accept(id))
        case .refuse: ((), try session.refuse(id))
        }
      }
    }
  }

  // MARK: Guests

  public func joinParty(_ body: API.PartyEntry, _ context: APIContext) -> Reply<API.PartyGuest> {
    let address = Self.address(context)
    let guest = perform { desk throws(PartyRefusal) in
      let now = desk.now
      return try desk.change { session, random throws(PartyRefusal) in
        (
          try session.join(code: body.code, name: body.name, from: address, at: now, using: &random), []
        )
      }
    }
    switch guest {
    case .success(let guest):
      var shown = shown(guest, context)
      shown?.token = guest.token
      return shown.map { .value($0) } ?? .problem(Problem(.noParty))
    case .failure(let refusal): return .problem(Problem(refusal))
    }
  }

  public func getGuest(vireoGuest: String, _ context: APIContext) -> Reply<API.PartyGuest> {
    guard let session = desk.assumeIsolated({ $0.session }) else { return .problem(Problem(.noParty)) }
    guard let guest = session.guest(withToken: vireoGuest), let shown = shown(guest, context) else {
      return .problem(Problem(.unknownGuest))
    }
    return .value(shown)
  }

  private func shown(_ guest: PartyGuest, _ context: APIContext) -> API.PartyGuest? {
    let (session, now) = desk.assumeIsolated { ($0.session, $0.now) }
    guard let session else { return nil }
    let left = session.left(for: guest, from: Self.address(context), at: now)
    return API.PartyGuest(
      id: guest.id, name: guest.name, left: left.songs, wait: left.wait.seconds(roundedUp: true),
      nextWait: left.nextWait.seconds(roundedUp: true),
      voted: session.requests.filter { $0.isWaiting && $0.voters.contains(guest.id) }.map(\.id))
  }

  public func getRequests(_ context: APIContext) -> Reply<API.PartyRequests> {
    .value(API.PartyRequests(requests: section.value.requests))
  }

  public func withdrawRequest(id: Int, vireoGuest: String, _ context: APIContext) -> Reply<Done> {
    done { desk throws(PartyRefusal) in
      let now = desk.now
      try desk.change { session, _ throws(PartyRefusal) in
        ((), try session.withdraw(id, token: vireoGuest, at: now))
      }
    }
  }

  public func addVote(id: Int, vireoGuest: String, _ context: APIContext) -> Reply<Done> {
    vote(id, true, vireoGuest, context)
  }

  public func takeVoteBack(id: Int, vireoGuest: String, _ context: APIContext) -> Reply<Done> {
    vote(id, false, vireoGuest, context)
  }

  private func vote(_ id: Int, _ isFor: Bool, _ token: String, _ context: APIContext) -> Reply<Done> {
    let address = Self.address(context)
    return done { desk throws(PartyRefusal) in
      let now = desk.now
      try desk.change { session, _ throws(PartyRefusal) in
        ((), try session.vote(id, isFor, token: token, from: address, at: now))
      }
    }
  }

  // MARK: Requests

  public func requestSong(
    vireoGuest: String, _ body: API.PartySong, _ context: APIContext
  ) -> Reply<API.PartyRequest> {
    let isOnServer = body.server != nil || body.object != nil
    guard (body.uri != nil) != isOnServer else {
      return .problem(Self.problem("ambiguous-item", "A song has to have either uri, or server and object."))
    }
    let song = NewSong(
      token: vireoGuest, address: Self.address(context), isNext: body.next ?? false)
    if let uri = body.uri {
      guard let media = Self.media(body, uri, player.currentState) else {
        return .problem(Problem(.resourceNotFound, pointer: "/uri"))
      }
      return Reply(request(media, song))
    }
    guard let server = body.server, let object = body.object else {
      return .problem(
        Self.problem("missing-member", "A song of a media server needs both server and object."))
    }
    // Servers are asked only for those who may request something.
    let allowed = perform { desk throws(PartyRefusal) in
      try desk.beginLooking(token: song.token, from: song.address, wantsNext: song.isNext)
    }
    if case .failure(let refusal) = allowed { return .problem(Problem(refusal)) }
    return .later {
      let found = await places.tracks(server: server, object: object, most: 2, within: Self.time)
      return await player.within { _ in
        desk.assumeIsolated { $0.endLooking(token: song.token) }
        return request(found, song)
      }
    }
  }

  /// Who wants what and how.
  private struct NewSong: Sendable {
    var token: String
    var address: String
    var isNext: Bool
  }

  /// The media at an address of the web; nil for any other.
  private static func media(_ song: API.PartySong, _ uri: String, _ state: PlayerState) -> Media? {
    let scheme = uri.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https", NewMedia.refusal(of: uri, at: "/uri", state) == nil else {
      return nil
    }
    return Media(
      entered: uri, title: song.title, artist: song.artist, album: song.album,
      duration: NewMedia.duration(song.seconds), picture: song.art)
  }

  private func request(_ found: Outcome<FoundTracks>, _ song: NewSong) -> Outcome<API.PartyRequest> {
    switch found {
    case .problem(let problem): return .problem(problem)
    case .value(let found):
      guard found.tracks.count + found.left == 1, !found.isPartial else {
        return .problem(Self.problem("not-a-song", "One song can be requested at a time, not a folder."))
      }
      guard let media = found.tracks.first else {
        return .problem(Self.problem("not-playable", "This speaker can't play that."))
      }
      guard !Self.isStation(media) else {
        return .problem(Self.problem("not-a-song", "A station has no end, so it can't be requested."))
      }
      return request(media, song)
    }
  }

  private static func isStation(_ media: Media) -> Bool {
    let kind = DIDL.items(media.metadata).first?.upnpClass?.lowercased() ?? ""
    return kind.hasPrefix("object.item.audioitem.audiobroadcast")
  }

  private func request(_ media: Media, _ song: NewSong) -> Outcome<API.PartyRequest> {
    let id = perform { desk throws(PartyRefusal) in
      let now = desk.now
      return try desk.change { session, _ throws(PartyRefusal) in
        try session.request(
          PartySong(media), media, token: song.token, from: song.address, wantsNext: song.isNext, at: now)
      }
    }
    switch id {
    case .failure(let refusal): return .problem(Problem(refusal))
    case .success(let id):
      guard let session = desk.assumeIsolated({ $0.session }), let request = session.request(id) else {
        return .problem(Problem(.noRequest))
      }
      return .value(API.PartyRequest(request, in: session, section.pictures))
    }
  }

  // MARK: Parts

  private static func problem(_ type: String, _ detail: String) -> Problem {
    Problem(type, .unprocessableContent, detail)
  }

  private static func address(_ context: APIContext) -> String { "\(context.peer.remote.unmapped)" }

  private static func length(_ hours: Double?) -> Duration? {
    hours.map { .milliseconds(Int64($0 * 3_600_000)) }
  }

  private func perform<Value: Sendable>(
    _ body: @Sendable (isolated PartyDesk) throws(PartyRefusal) -> Value
  ) -> Result<Value, PartyRefusal> {
    desk.assumeIsolated { desk in
      do throws(PartyRefusal) {
        return .success(try body(desk))
      } catch {
        return .failure(error)
      }
    }
  }

  private func party(_ body: @Sendable (isolated PartyDesk) throws(PartyRefusal) -> Void) -> Reply<API.Party>
  {
    switch perform(body) {
    case .success: .value(section.value)
    case .failure(let refusal): .problem(Problem(refusal))
    }
  }

  private func done(_ body: @Sendable (isolated PartyDesk) throws(PartyRefusal) -> Void) -> Reply<Done> {
    switch perform(body) {
    case .success: .value(Done(version: playerSection.version))
    case .failure(let refusal): .problem(Problem(refusal))
    }
  }
}

extension PartyMode {
  fileprivate init(_ mode: API.PartyStart.Mode) {
    switch mode {
    case .ask: self = .ask
    case .add: self = .add
    }
  }

  fileprivate init(_ mode: API.PartyChange.Mode) {
    switch mode {
    case .ask: self = .ask
    case .add: self = .add
    }
  }
}
