import DIDLLite
import Player
import Text
import UPnP

/// The actions of a zone's AVTransport:1 that aren't simple getters, for one controller.
struct ZoneAVTransportCommands: ZoneAVTransport1.Commands {
  let parts: ZonePlayback
  let log: CastLog

  private var player: PlayerCore { parts.player }
  private func change(_ command: ZoneCommand) throws(UPnPError) { try player.changeZone(.zone(command)) }

  // MARK: What plays

  func setAVTransportURI(currentURI: String, currentURIMetaData: String) throws(UPnPError) {
    let sent = Media(uri: currentURI.trimmingASCIISpace, metadata: currentURIMetaData)
    switch ZoneURI(sent.uri) {
    case .track(let address):
      try change(.selectTrack(Media(sent: address, metadata: currentURIMetaData), as: sent))
    case .station(let addresses):
      let media = Media(sent: addresses[0], metadata: currentURIMetaData)
      try change(.selectStation(media, others: Array(addresses.dropFirst()), as: sent))
    case .queue(let uid):
      guard uid == parts.uid else { throw UPnPError(.transitionNotAvailable) }
      try change(.selectQueue)
    case .group(let uid): return try join(uid)
    case .playlist, .library, .unsupported: throw .zoneMediaNotSupported
    }
    log("casts", player.currentState.zoneChosen)
  }

  func setNextAVTransportURI(nextURI: String, nextURIMetaData: String) throws(UPnPError) {
    let sent = Media(uri: nextURI.trimmingASCIISpace, metadata: nextURIMetaData)
    guard !sent.uri.isEmpty else { return try change(.setNext(nil, as: nil)) }
    guard case .track(let address) = ZoneURI(sent.uri) else { throw .zoneMediaNotSupported }
    try change(.setNext(Media(sent: address, metadata: nextURIMetaData), as: sent))
  }

  // MARK: Transport

  func play(speed: ZoneAVTransport1.TransportPlaySpeed) throws(UPnPError) { try change(.play) }
  func pause() throws(UPnPError) { try change(.pause) }
  func stop() throws(UPnPError) { try change(.stop) }
  func next() throws(UPnPError) { try change(.next) }
  func previous() throws(UPnPError) { try change(.previous) }

  func seek(unit: ZoneAVTransport1.SeekMode, target: String) throws(UPnPError) {
    let target = target.trimmingASCIISpace
    switch unit {
    case .trackNr:
      guard let number = UInt32(wire: target) else { throw UPnPError(.illegalSeekTarget) }
      try change(.seekTrack(Int(number)))
    case .relTime:
      guard let position = ClockTime.duration(target) else { throw UPnPError(.illegalSeekTarget) }
      try change(.seek(to: position))
    case .timeDelta:
      let isBack = target.hasPrefix("-")
      guard let distance = ClockTime.duration(isBack ? String(target.dropFirst()) : target) else {
        throw UPnPError(.illegalSeekTarget)
      }
      try change(.skip(by: isBack ? .zero - distance : distance))
    }
  }

  func setPlayMode(newPlayMode: ZoneAVTransport1.CurrentPlayMode) throws(UPnPError) {
    try change(.setMode(newPlayMode.ofZone))
  }

  func setCrossfadeMode(crossfadeMode: Bool) throws(UPnPError) { try change(.setCrossfade(crossfadeMode)) }

  // MARK: The queue

  private var queue: ZoneQueue { ZoneQueue(parts: parts, log: log) }

  nonisolated(nonsending) func addURIToQueue(
    enqueuedURI: String, enqueuedURIMetaData: String, desiredFirstTrackNumberEnqueued: UInt32,
    enqueueAsNext: Bool
  ) async throws(UPnPError) -> (
    firstTrackNumberEnqueued: UInt32, numTracksAdded: UInt32, newQueueLength: UInt32
  ) {
    let added = try await queue.add(
      enqueuedURI, metadata: enqueuedURIMetaData, at: desiredFirstTrackNumberEnqueued, asNext: enqueueAsNext)
    return (added.first, added.count, added.length)
  }

  func addMultipleURIsToQueue(
    updateID: UInt32, numberOfURIs: UInt32, enqueuedURIs: String, enqueuedURIsMetaData: String,
    containerURI: String, containerMetaData: String, desiredFirstTrackNumberEnqueued: UInt32,
    enqueueAsNext: Bool
  ) throws(UPnPError) -> (
    firstTrackNumberEnqueued: UInt32, numTracksAdded: UInt32, newQueueLength: UInt32, newUpdateID: UInt32
  ) {
    let added = try queue.addEach(
      enqueuedURIs, metadata: enqueuedURIsMetaData, count: numberOfURIs, at: desiredFirstTrackNumberEnqueued,
      asNext: enqueueAsNext)
    return (added.first, added.count, added.length, parts.queueUpdateID)
  }

  func reorderTracksInQueue(
    startingIndex: UInt32, numberOfTracks: UInt32, insertBefore: UInt32, updateID: UInt32
  ) throws(UPnPError) {
    try queue.move(from: startingIndex, count: numberOfTracks, before: insertBefore)
  }

  func removeTrackFromQueue(objectID: String, updateID: UInt32) throws(UPnPError) {
    guard case .queueItem(let place)? = ZoneObject(objectID) else { throw .invalidArgs("ObjectID") }
    try queue.remove(from: UInt32(clamping: place), count: 1)
  }

  func removeTrackRangeFromQueue(
    updateID: UInt32, startingIndex: UInt32, numberOfTracks: UInt32
  ) throws(UPnPError) -> UInt32 {
    try queue.remove(from: startingIndex, count: numberOfTracks)
    return parts.queueUpdateID
  }

  func removeAllTracksFromQueue() throws(UPnPError) { try queue.removeAll() }
  func backupQueue() throws(UPnPError) {}
  func notifyDeletedURI(deletedURI: String) throws(UPnPError) {}
  func endDirectControlSession() throws(UPnPError) {}

  // MARK: Stored playlists

  private var saved: ZoneSavedQueues { ZoneSavedQueues(parts: parts, queue: queue) }

  nonisolated(nonsending) func saveQueue(title: String, objectID: String) async throws(UPnPError) -> String {
    try await saved.saveQueue(title: title, object: objectID)
  }

  nonisolated(nonsending) func createSavedQueue(
    title: String, enqueuedURI: String, enqueuedURIMetaData: String
  ) async throws(UPnPError) -> (
    numTracksAdded: UInt32, newQueueLength: UInt32, assignedObjectID: String, newUpdateID: UInt32
  ) {
    let new = try await saved.create(title: title, uri: enqueuedURI, metadata: enqueuedURIMetaData)
    return (new.added, new.length, new.object, new.updateID)
  }

  nonisolated(nonsending) func addURIToSavedQueue(
    objectID: String, updateID: UInt32, enqueuedURI: String, enqueuedURIMetaData: String, addAtIndex: UInt32
  ) async throws(UPnPError) -> (numTracksAdded: UInt32, newQueueLength: UInt32, newUpdateID: UInt32) {
    let result = try await saved.add(
      to: objectID, uri: enqueuedURI, metadata: enqueuedURIMetaData, at: addAtIndex)
    return (result.added, result.length, result.updateID)
  }

  nonisolated(nonsending) func reorderTracksInSavedQueue(
    objectID: String, updateID: UInt32, trackList: String, newPositionList: String
  ) async throws(UPnPError) -> (queueLengthChange: Int32, newQueueLength: UInt32, newUpdateID: UInt32) {
    let result = try await saved.reorder(objectID, tracks: trackList, positions: newPositionList)
    return (result.difference, result.length, result.updateID)
  }

  // MARK: Groups

  private func join(_ uid: String) throws(UPnPError) {
    let heard = player.currentState.listensTo
    try parts.grouping.join(uid)
    logJoining(insteadOf: heard)
  }

  /// As ``join(_:)``, for the coordinator of others.
  nonisolated(nonsending) func joinAsCoordinator(_ uid: String) async throws(UPnPError) {
    let heard = player.currentState.listensTo
    try await parts.grouping.joinAsCoordinator(uid)
    logJoining(insteadOf: heard)
  }

  /// `partymode` lets rooms join that have joined already.
  private func logJoining(insteadOf heard: String) {
    guard player.currentState.listensTo != heard else { return }
    log("lets this room listen to", player.currentState.receiver.sender)
  }

  nonisolated(nonsending) func becomeCoordinatorOfStandaloneGroup() async throws(UPnPError) -> (
    delegatedGroupCoordinatorID: String, newGroupID: String
  ) {
    let delegated = try await parts.grouping.leave()
    return (delegated, parts.home.group.id)
  }

  nonisolated(nonsending) func delegateGroupCoordinationTo(
    newCoordinator: String, rejoinGroup: Bool
  ) async throws(UPnPError) {
    try await parts.grouping.delegate(to: newCoordinator, rejoins: rejoinGroup)
  }

  // MARK: The sleep timer

  /// An empty time switches it off.
  func configureSleepTimer(newSleepTimerDuration: String) throws(UPnPError) {
    let text = newSleepTimerDuration.trimmingASCIISpace
    guard !text.isEmpty else { return try change(.setSleep(nil)) }
    let fields = text.split(separator: ":", omittingEmptySubsequences: false).count
    guard fields == 3, let time = ClockTime.duration(text), time <= SleepTimer.longest else {
      throw .invalidArgs("NewSleepTimerDuration is not a time")
    }
    try change(.setSleep(time))
  }

  func getRemainingSleepTimerDuration() throws(UPnPError) -> (
    remainingSleepTimerDuration: String, currentSleepTimerGeneration: UInt32
  ) {
    let (state, now) = player.assumeIsolated { ($0.state, $0.now) }
    return (state.sleepRemaining(at: now).map(ClockTime.text) ?? "", state.zone.sleep.generation)
  }
}
