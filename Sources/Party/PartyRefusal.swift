/// Why something isn't done.
public enum PartyRefusal: Error, Sendable, Hashable {
  /// There is no party.
  case noParty
  /// There is one already.
  case isRunning
  case wrongCode
  /// The guest isn't known: the party is another one, or there were too many guests.
  case unknownGuest
  case tooManyGuests
  /// Too many have come, or tried codes, from this address.
  case tooManyEntries(wait: Duration)
  /// So many songs were requested that another one has to wait.
  case tooManyRequests(wait: Duration)
  /// So many were to be played next that another one has to wait.
  case tooManyNext(wait: Duration)
  case tooManyVotes(wait: Duration)
  /// Nobody may vote in this party, or not for a song of his own, or not twice from one address.
  case noVote
  /// The song waits already.
  case isWaiting
  /// The song was played, and may be requested again after `wait`.
  case wasPlayed(wait: Duration)
  /// So much waits that nothing else can.
  case isFull
  /// There is no such request.
  case noRequest
  /// It is another guest's.
  case notYours
  /// It is over: played, refused or removed.
  case isOver
  /// The player has no queue.
  case noQueue
  case queueIsFull
}
