import NIOCore

/// Decides which of the zones that are heard are other ones of this program, and whether this one may show itself: not beside
/// zones of another maker, since most controllers take the first household that answers for the only one, and ours would hide
/// the real one.
///
/// A machine without a clock and without sockets: it is told the time and what was heard. Everything that strangers can make
/// it keep or do is bounded.
struct HouseholdWatch: Sendable, Equatable {
  static let mostPeers = 31
  static let mostStrangers = 64
  static let mostQuestions = 16
  private static let questionsAtOnce = 2
  private static let tries = 2
  private static let retryPause = TimeAmount.seconds(2)
  /// A zone that is known is asked again at most so often.
  private static let doubtPause = TimeAmount.seconds(5)
  /// Strangers can make it ask so often: that many at once, and then one for each pause.
  private static let allowance = Int64(16)
  private static let allowancePause = TimeAmount.seconds(2)

  private static let searches = 3
  private static let searchPause = TimeAmount.milliseconds(700)
  /// How long it looks at most because somebody hasn't said yet who he is.
  private static let longestLook = TimeAmount.seconds(12)
  /// One that announces itself anew, with another name or household, says goodbye first, and hello once its other devices have had
  /// their say.
  private static let goodbyePause = TimeAmount.seconds(3)
  /// Zones announce themselves at least every half hour, and may be missed twice.
  private static let memory = TimeAmount.minutes(75)
  private static let silentMemory = TimeAmount.minutes(2)
  /// Strangers can make it hide and show itself at most so often.
  private static let hiddenPause = TimeAmount.seconds(30)
  /// One that didn't answer is asked again at most so often.
  private static let silentPause = TimeAmount.seconds(30)

  private let uid: String
  /// The household of this zone.
  var household: String
  private let hides: Bool
  /// The zone doesn't show itself earlier.
  private let notBefore: NIODeadline
  private(set) var phase: Phase
  private var peers: [String: Peer] = [:]
  private var strangers: [String: Stranger] = [:]
  private var questions: [String: Question] = [:]
  /// When the allowance is whole again.
  private var spent: NIODeadline

  /// - Parameters:
  ///   - uid: of this zone.
  ///   - hides: whether it hides from zones of other makers.
  ///   - rest: how long it doesn't show itself in any case.
  init(uid: String, household: String, hides: Bool = true, rest: TimeAmount = .zero, now: NIODeadline) {
    self.uid = uid
    self.household = household
    self.hides = hides
    notBefore = now + rest
    spent = now
    phase = .looking(searchesLeft: Self.searches, wake: now, end: now + Self.longestLook)
  }

  /// The households of those that are zones of this program.
  var peerHouseholds: Set<String> { Set(peers.values.map(\.household)) }

  /// How many are remembered that are no zones of this program.
  var strangerCount: Int { strangers.count }

  /// A household of zones of other makers; nil when there are none.
  private var foreign: String? {
    guard hides else { return nil }
    let own = peerHouseholds.union([household])
    return strangers.values.map(\.household).filter { !own.contains($0) }.min()
  }

  /// When ``woken(now:)`` is to be called; nil for never.
  var wake: NIODeadline? {
    var times = peers.values.compactMap(\.leaves)
    let running = questions.values.count(where: \.isUnderWay)
    if running < Self.questionsAtOnce { times += questions.values.filter { !$0.isUnderWay }.map(\.due) }
    switch phase {
    case .looking(_, let wake, _): times.append(wake)
    case .hidden(let until): times += foreign == nil ? [until] : strangers.values.map(\.until)
    case .shown: break
    }
    return times.min()
  }

  mutating func woken(now: NIODeadline) -> [Action] {
    var actions: [Action] = []
    for (uid, peer) in peers.sorted(by: { $0.key < $1.key }) where peer.leaves ?? .distantFuture <= now {
      peers[uid] = nil
      actions.append(.forget(uid, isSilent: false))
    }
    if case .looking(let left, let wake, let end) = phase, wake <= now {
      if left > 0 {
        phase = .looking(searchesLeft: left - 1, wake: now + Self.searchPause, end: end)
        actions.append(.search)
      } else if now < notBefore {
        phase = .looking(searchesLeft: 0, wake: notBefore, end: end)
      } else if !questions.isEmpty, now < end {
        // Who has answered is still being asked who he is.
        phase = .looking(searchesLeft: 0, wake: now + Self.searchPause, end: end)
      } else {
        phase = .shown
        actions.append(.show)
      }
    }
    return actions + ask(now: now) + judge(now: now)
  }

  // MARK: What is heard

  mutating func heard(_ notice: ZoneNotice, now: NIODeadline) -> [Action] {
    guard notice.uid != uid else { return [] }
    let source = "\(notice.source)"
    switch notice.kind {
    case .goodbye:
      if peers[notice.uid]?.source == source, peers[notice.uid]?.leaves == nil {
        peers[notice.uid]?.leaves = now + Self.goodbyePause
      }
      return []
    case .alive(let household, let bootSequence):
      let question = notice.location.map {
        Question(
          location: $0, source: source, household: household, bootSequence: bootSequence, due: now)
      }
      return heard(notice.uid, household, question, now: now)
    }
  }

  private mutating func heard(
    _ uid: String, _ household: String, _ question: Question?, now: NIODeadline
  ) -> [Action] {
    if var peer = peers[uid] {
      // At another place it is believed once it has been asked there.
      guard let question, peer.location == question.location else { return add(uid, question, now: now) }
      let isRestarted = peer.bootSequence != question.bootSequence
      (peer.household, peer.bootSequence, peer.leaves) = (household, question.bootSequence, nil)
      peers[uid] = peer
      return isRestarted ? [.restarted(uid)] + judge(now: now) : judge(now: now)
    }
    if let stranger = strangers[uid] {
      if let wasSilent = stranger.wasSilent, question != nil {
        // It may have been too busy to answer.
        guard wasSilent + Self.silentPause <= now else { return judge(now: now) }
        return add(uid, question, now: now) + judge(now: now)
      }
      note(uid, household, now: now)
      return judge(now: now)
    }
    guard let question else {
      // Nobody can be asked, so it is no zone of this program.
      note(uid, household, now: now)
      return judge(now: now)
    }
    return add(uid, question, now: now)
  }

  private mutating func add(_ uid: String, _ question: Question?, now: NIODeadline) -> [Action] {
    guard let question, questions[uid] == nil, questions.count < Self.mostQuestions, mayAsk(now: now) else {
      return []
    }
    questions[uid] = question
    return ask(now: now)
  }

  private mutating func mayAsk(now: NIODeadline) -> Bool {
    let pause = Self.allowancePause
    spent = max(spent, now)
    guard spent + pause <= now + .nanoseconds(pause.nanoseconds * Self.allowance) else { return false }
    spent = spent + pause
    return true
  }

  private mutating func note(
    _ uid: String, _ household: String, isSilent: Bool = false, now: NIODeadline
  ) {
    if strangers[uid] == nil, strangers.count >= Self.mostStrangers,
      let oldest = strangers.min(by: { $0.value.until < $1.value.until })
    {
      strangers[oldest.key] = nil
    }
    strangers[uid] = Stranger(
      household: household, wasSilent: isSilent ? now : nil,
      until: now + (isSilent ? Self.silentMemory : Self.memory))
  }

  // MARK: Who they are

  /// A zone of this program may have gone without a word.
  mutating func doubted(_ uid: String, now: NIODeadline) -> [Action] {
    guard let peer = peers[uid], peer.leaves == nil, questions[uid] == nil,
      peer.asked + Self.doubtPause <= now
    else { return [] }
    peers[uid]?.asked = now
    questions[uid] = Question(
      location: peer.location, source: peer.source, household: peer.household,
      bootSequence: peer.bootSequence, due: now)
    return ask(now: now)
  }

  private mutating func ask(now: NIODeadline) -> [Action] {
    var actions: [Action] = []
    var running = questions.values.count(where: \.isUnderWay)
    let due = questions.filter { !$0.value.isUnderWay && $0.value.due <= now }
    for (uid, question) in due.sorted(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) })
    where running < Self.questionsAtOnce {
      questions[uid]?.isUnderWay = true
      running += 1
      actions.append(.ask(uid, location: question.location))
    }
    return actions
  }

  /// What has come of ``Action/ask(_:location:)``.
  mutating func answered(_ uid: String, _ answer: Answer, now: NIODeadline) -> [Action] {
    guard var question = questions.removeValue(forKey: uid), question.isUnderWay else { return [] }
    var actions: [Action] = []
    switch answer {
    case .zone:
      strangers[uid] = nil
      guard peers[uid] != nil || peers.count < Self.mostPeers else { break }
      peers[uid] = Peer(
        location: question.location, source: question.source, household: question.household,
        bootSequence: question.bootSequence, asked: now)
      actions.append(.follow(uid))
    case .silent where question.tries + 1 < Self.tries:
      question.tries += 1
      (question.isUnderWay, question.due) = (false, now + Self.retryPause)
      questions[uid] = question
    case .silent, .other:
      if let peer = peers[uid] {
        // Somebody else may have used its name; it itself is where it was.
        guard peer.location == question.location else { break }
        peers[uid] = nil
        // It may have another address, which it told while it was still asked at the old one.
        actions += [.forget(uid, isSilent: true), .search]
      } else {
        note(uid, question.household, isSilent: answer == .silent, now: now)
      }
    }
    return actions + ask(now: now) + judge(now: now)
  }

  // MARK: Whether it shows itself

  /// This host has come to another network, whose zones it doesn't know.
  mutating func networkChanged(now: NIODeadline) -> [Action] {
    guard phase != .shown else { return [.search] }
    phase = .looking(searchesLeft: Self.searches, wake: now, end: now + Self.longestLook)
    strangers = [:]
    return []
  }

  private mutating func judge(now: NIODeadline) -> [Action] {
    // While it is shown nobody wakes it to forget who has gone.
    strangers = strangers.filter { $0.value.until > now }
    if let foreign {
      if case .hidden = phase { return [] }
      phase = .hidden(until: now + Self.hiddenPause)
      return [.hide(household: foreign)]
    }
    if case .hidden(let until) = phase, until <= now {
      // It asks before it shows itself: the others may only have been unheard.
      phase = .looking(searchesLeft: Self.searches, wake: now, end: now + Self.longestLook)
    }
    return []
  }
}
