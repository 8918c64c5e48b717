import Player
import UPnP
import XML

/// Queue:1 of a zone: the same queue as AVTransport's, whose id is 0.
struct ZoneQueueService: ZoneQueue1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  struct Shown: ZoneQueue1.View {}

  var view: Shown { Shown() }

  func commands(for context: ActionContext) -> ZoneQueueCommands {
    ZoneQueueCommands(
      parts: parts, log: CastLog(logger: parts.logger, context: context, casters: parts.casters))
  }

  func perform(_ call: inout ActionCall) throws(UPnPError) {
    try checkMember(call)
    let context = call.context
    try ZoneQueue1.perform(&call, view: view, commands: commands(for: context))
  }

  nonisolated(nonsending) func performLater(_ call: ActionCall) async throws(UPnPError) -> ActionCall {
    try checkMember(call)
    var call = call
    try await ZoneQueue1.performLater(&call, commands: commands(for: call.context))
    return call
  }

  private func checkMember(_ call: ActionCall) throws(UPnPError) {
    guard ZoneMemberRules.queue.contains(description.actions[call.action].name), parts.home.coordinator != nil
    else { return }
    throw .zoneNoCoordinator
  }

  func eventedValues(holding held: HeldValues) -> [EventedValue] {
    [
      EventedValue(name: "UpdateID", value: parts.queueUpdateID.wire),
      EventedValue(name: "Curated", value: "0"),
    ]
  }
}

struct ZoneQueueCommands: ZoneQueue1.Commands {
  let parts: ZonePlayback
  let log: CastLog

  private var queue: ZoneQueue { ZoneQueue(parts: parts, log: log) }

  /// The queue, which is the only one.
  private func queue(_ id: UInt32) throws(UPnPError) -> ZoneQueue {
    guard id == 0 else { throw .zoneNotSupported }
    return queue
  }

  nonisolated(nonsending) func addURI(
    queueID: UInt32, updateID: UInt32, enqueuedURI: String, enqueuedURIMetaData: String,
    desiredFirstTrackNumberEnqueued: UInt32, enqueueAsNext: Bool
  ) async throws(UPnPError) -> (
    firstTrackNumberEnqueued: UInt32, numTracksAdded: UInt32, newQueueLength: UInt32, newUpdateID: UInt32
  ) {
    let added = try await queue(queueID).add(
      enqueuedURI, metadata: enqueuedURIMetaData, at: desiredFirstTrackNumberEnqueued, asNext: enqueueAsNext)
    return (added.first, added.count, added.length, parts.queueUpdateID)
  }

  func attachQueue(queueOwnerID: String) throws(UPnPError) -> (queueID: UInt32, queueOwnerContext: String) {
    (0, "")
  }

  func createQueue(
    queueOwnerID: String, queueOwnerContext: String, queuePolicy: String
  ) throws(UPnPError) -> UInt32 { 0 }

  func backup() throws(UPnPError) {}

  func browse(
    queueID: UInt32, startingIndex: UInt32, requestedCount: UInt32
  ) throws(UPnPError) -> (
    result: any ChunkedText, numberReturned: UInt32, totalMatches: UInt32, updateID: UInt32
  ) {
    let items = try queue(queueID).items(from: startingIndex, count: requestedCount)
    return (items.list, items.count, items.total, parts.queueUpdateID)
  }

  func removeAllTracks(queueID: UInt32, updateID: UInt32) throws(UPnPError) -> UInt32 {
    try queue(queueID).removeAll()
    return parts.queueUpdateID
  }

  func removeTrackRange(
    queueID: UInt32, updateID: UInt32, startingIndex: UInt32, numberOfTracks: UInt32
  ) throws(UPnPError) -> UInt32 {
    try queue(queueID).remove(from: startingIndex, count: numberOfTracks)
    return parts.queueUpdateID
  }

  func reorderTracks(
    queueID: UInt32, startingIndex: UInt32, numberOfTracks: UInt32, insertBefore: UInt32, updateID: UInt32
  ) throws(UPnPError) -> UInt32 {
    try queue(queueID).move(from: startingIndex, count: numberOfTracks, before: insertBefore)
    return parts.queueUpdateID
  }

  nonisolated(nonsending) func saveAsSonosPlaylist(
    queueID: UInt32, title: String, objectID: String
  ) async throws(UPnPError) -> String {
    try await ZoneSavedQueues(parts: parts, queue: queue(queueID)).saveQueue(title: title, object: objectID)
  }
}
