import Party

extension Problem {
  /// The problem that a party refuses something.
  init(_ refusal: PartyRefusal) {
    switch refusal {
    case .noParty:
      self.init("no-party", .notFound, "There is no party.")
    case .isRunning:
      self = .conflict("There is a party already.", type: "party-running")
    case .wrongCode:
      self.init("wrong-code", .forbidden, "That isn't the code of the party.")
    case .unknownGuest:
      self.init(
        "unknown-guest", .forbidden, "The speaker doesn't know this guest (any more); enter the code again.")
    case .tooManyGuests:
      self = .conflict(
        "There are \(PartyRules.mostGuests) guests, and all of them wait for a song.", type: "too-many-guests"
      )
    case .tooManyEntries(let wait):
      self = .limited("too-many-tries", "That was tried too often from your address;", wait)
    case .tooManyRequests(let wait):
      self = .limited("too-many-requests", "You have requested many songs;", wait)
    case .tooManyNext(let wait):
      self = .limited("too-many-next", "Only now and then may a song be the next one;", wait)
    case .tooManyVotes(let wait):
      self = .limited("too-many-votes", "You have voted often;", wait)
    case .noVote:
      self = .conflict(
        "There are no votes here, or it is a song of your own, or your address has voted for it.",
        type: "no-vote")
    case .isWaiting:
      self = .conflict("This song waits already.", type: "already-waiting")
    case .wasPlayed(let wait):
      self = .conflict(
        "This song was played a short while ago; it may be requested again in \(Self.words(wait)).",
        type: "already-played")
    case .isFull:
      self = .conflict("So many requests wait that no other one can.", type: "party-full")
    case .noRequest:
      self = .notFound("There is no such request.")
    case .notYours:
      self.init("not-yours", .forbidden, "That is a request of somebody else.")
    case .isOver:
      self = .conflict("That is over: the song was played, refused or removed.", type: "request-over")
    case .noQueue:
      self = .noQueue
    case .queueIsFull:
      self.init(.playlistFull)
    }
  }

  /// A limit is reached: 429.
  private static func limited(_ type: String, _ what: String, _ wait: Duration) -> Problem {
    Problem(
      type, .tooManyRequests, "\(what) try again in \(words(wait)).",
      retryAfter: max(1, wait.seconds(roundedUp: true)))
  }

  private static func words(_ wait: Duration) -> String {
    let seconds = max(1, wait.seconds(roundedUp: true))
    return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
  }
}
