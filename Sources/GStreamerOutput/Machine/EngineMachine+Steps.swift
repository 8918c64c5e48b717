import Player

/// What follows from the results of actions, and when the actions before a step have been carried out.
extension EngineMachine {
  mutating func handle(_ result: ActionResult) {
    switch result {
    case .made(let new): made(new)
    case .notMade(let new, let failure): notMade(new, failure)
    case .sought(let serial, let epoch, let isAccepted):
      seekBegan(serial, epoch: epoch, isAccepted: isAccepted)
    case .serverFaults(let serial, let faults): self[serial]?.information.merge(faults)
    case .ledIn(let running, let length): ledIn(at: running, length)
    case .opened(let kind, let keepsFormat): opened(kind, keepsFormat: keepsFormat)
    case .notOpened(let kind, let problem): notOpened(kind, problem)
    case .deviceRefused: plan.device.refused(at: now)
    case .deviceFound(let isFound): deviceFound(isFound)
    case .watching(let isComplete): output.watch = DeviceState.Watch(isComplete: isComplete)
    }
  }

  mutating func take(_ step: EngineStep) {
    switch step {
    case .due(let kinds, let time): perform(kinds, at: time)
    case .begun(let serial): begun(serial)
    case .sessionRuns(let serial): sessionRuns(serial)
    case .sessionFollows(let serial): sessionFollows(serial)
    case .retried(let serial, let next): retried(serial, next)
    case .retryUnwatched: retryUnwatched()
    case .tellPaused(let serial): tellPaused(serial)
    case .seekFaded(let serial, let position):
      if let track = self[serial] { seek(track, position, fading: false) }
    case .sought(let serial, let beginsAnew, let next): sought(serial, beginsAnew: beginsAnew, next)
    case .followUp(let next): if upcoming == nil, next != nil { setNext(next) }
    case .dropWhatFollows(let serial): dropWhatFollows(serial)
    case .scheduleOpening: scheduleOpening()
    case .advanced(let serial): advanced(serial)
    case .playedOut: playedOut()
    case .decide: decide()
    case .succeed: succeed()
    case .resumeIfFed: resumeIfFed()
    case .startStarvation: startStarvation()
    case .lookForStarvation: if world.fill.isStarved { starved() }
    case .readingChanged(let serial): readingChanged(serial)
    case .judge(let serial, let report): judge(report, of: serial)
    }
  }

  /// Does the first thing of `kinds` that is due at `time`, and then the others.
  private mutating func perform(_ kinds: ArraySlice<EnginePlan.Due>, at time: MonotonicTime) {
    for (index, due) in zip(kinds.indices, kinds) where plan.take(due, at: time) {
      perform(due, at: time)
      then(.due(kinds[(index + 1)...], at: time))
      return
    }
  }

  private mutating func perform(_ due: EnginePlan.Due, at time: MonotonicTime) {
    switch due {
    case .joint: transitionDue()
    case .silence: silenceDue()
    case .opening: openNext()
    case .release: releaseDevice()
    case .expiry: dropPrepared()
    case .spare: makeSpare()
    case .retry: retryDevice()
    case .patience: giveDeviceUp()
    case .refusal: deviceFailed("it refuses to open and doesn't say why", .unusable)
    case .starvation: starvationDue()
    case .watch: watchDue(time)
    }
  }

  private mutating func made(_ new: NewTrack) {
    let track = TrackRecord(new)
    let serial = track.serial
    switch new.purpose {
    case .start(let position):
      add(track)
      load(serial, at: position)
    case .next:
      add(track)
      upcoming = serial
      act(.run, on: serial)
    case .preparation:
      add(track)
      preparationMade(track)
    case .replacement(let replaced): replacementMade(track, for: replaced)
    }
  }

  private mutating func notMade(_ new: NewTrack, _ failure: PlaybackFailure) {
    switch new.purpose {
    case .start:
      fail(new.id, failure)
      becomeIdle()
    case .next:
      plan.next.drop()
      fail(new.id, failure)
      then(.decide)
    case .preparation: break
    case .replacement(let replaced): if let track = self[replaced] { trackFailed(track, failure) }
    }
  }
}
