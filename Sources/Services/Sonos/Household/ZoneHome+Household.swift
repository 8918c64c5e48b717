import Player

/// The household: which one it is, who else is in it, and who plays with whom.
extension ZoneHome {
  /// The name of the household.
  public var household: String { values.withLock { $0.choice.household } }

  /// Whether this zone was always alone in its household, whose name is its own.
  public var isFresh: Bool { values.withLock { $0.choice.standing } == .fresh }

  /// Sets by what others listen to this zone.
  public func setSender(_ sender: @escaping @Sendable () -> ZoneSender) {
    values.withLock { $0.sender = sender }
  }

  // MARK: What is known of others

  /// The zones of this program that are known, also those of other households.
  public var neighbours: [ZoneFacts] { values.withLock { Array($0.neighbours.values) } }

  /// Takes what another zone tells, and tells subscribers.
  ///
  /// - Parameter now: see ``HouseholdChoice/choose(among:now:)``.
  public func take(_ facts: ZoneFacts, now: Int) {
    guard values.withLock({ $0.neighbours.updateValue(facts, forKey: facts.uid) }) != facts else { return }
    choose(among: [], now: now)
    surroundings.changed(false)
  }

  /// The zone has gone.
  public func forget(_ uid: String) {
    guard values.withLock({ $0.neighbours.removeValue(forKey: uid) }) != nil else { return }
    surroundings.changed(false)
  }

  /// Chooses the household anew.
  ///
  /// - Parameters:
  ///   - announced: households of verified zones that haven't told more yet: they are there already, so they count before this one's
  ///     own.
  public func choose(among announced: [String], now: Int) {
    let (notes, isOther) = values.withLock { values -> (ZoneNotes?, Bool) in
      let before = values.choice.household
      let others =
        values.neighbours.values.map { (household: $0.household, standing: $0.standing) }
        + announced.map { (household: $0, standing: .settled) }
      guard values.choice.choose(among: others, now: now) else { return (nil, false) }
      values.notes.household = values.choice.household
      return (values.notes, values.choice.household != before)
    }
    guard let notes else { return }
    surroundings.keep(notes.stored)
    surroundings.changed(isOther)
  }

  /// Takes what another zone was told, before that one tells it itself.
  func note(_ change: (inout ZoneFacts) -> Void, of uids: Set<String>) {
    values.withLock { values in
      for uid in uids where values.neighbours[uid] != nil {
        values.neighbours[uid].map { facts in
          var facts = facts
          change(&facts)
          values.neighbours[uid] = facts
        }
      }
    }
    surroundings.changed(false)
  }

  /// The player has changed.
  public func playerChanged(_ old: PlayerState, _ new: PlayerState) {
    guard old.listensTo != new.listensTo else { return }
    values.withLock { $0.turn &+= 1 }
  }

  /// The zones that may have gone without a word: whom this one doesn't hear any more, and those of its group when fewer listen
  /// than before.
  public func missed(_ old: PlayerState, _ new: PlayerState) -> [String] {
    if new.listensTo == old.listensTo, !new.listensTo.isEmpty, old.phase == .playing, new.phase == .buffering
    {
      return [coordinator?.uid].compactMap(\.self)
    }
    guard new.sender.listeners < old.sender.listeners else { return [] }
    return group.members.map(\.uid).filter { $0 != identity.uid }
  }

  // MARK: Who plays with whom

  /// What this zone tells of itself.
  var facts: ZoneFacts {
    let (notes, room, choice, turn, sender) = values.withLock {
      ($0.notes, $0.notes.name ?? $0.room, $0.choice, $0.turn, $0.sender)
    }
    let state = player.currentState
    return ZoneFacts(
      ZoneMember(
        uid: identity.uid, address: address, name: room, icon: notes.icon,
        bootSequence: identity.bootSequence, isIdle: isIdle),
      household: choice.household, standing: choice.standing,
      sender: state.sender.isEnabled ? sender() : .none,
      listensTo: state.listensTo, turn: turn, volume: state.volume.step(of: .master),
      isMuted: state.volume.isMuted(.master))
  }

  /// All zones of the household.
  var zones: [ZoneFacts] {
    let household = household
    return [facts] + neighbours.filter { $0.household == household }
  }

  var groups: [ZoneGroup] { ZoneHousehold.groups(of: zones) }

  /// The group that this zone is in.
  var group: ZoneGroup {
    groups.first { $0.members.contains { $0.uid == identity.uid } }
      ?? ZoneGroup(id: "", members: [facts.member])
  }

  /// The zone that this one plays with; nil when it plays by itself, and others perhaps with it.
  var coordinator: ZoneMember? {
    guard !player.currentState.listensTo.isEmpty else { return nil }
    return group.members.first.flatMap { $0.uid == identity.uid ? nil : $0 }
  }

  /// Begins a handover; false while there is one.
  func beginHandover() -> Bool {
    values.withLock { values in
      defer { values.handsOver = true }
      return !values.handsOver
    }
  }

  func endHandover() { values.withLock { $0.handsOver = false } }

  /// The zones of this one's group with their volumes.
  var groupFacts: [ZoneFacts] {
    let members = Set(group.members.map(\.uid))
    return zones.filter { members.contains($0.uid) }
  }
}

extension PlayerState {
  /// The address of the sender that this room listens to; empty for none.
  var listensTo: String {
    guard activeSource == .receiver, transport(of: .receiver) != .stopped else { return "" }
    return receiver.sender?.uri ?? ""
  }
}
