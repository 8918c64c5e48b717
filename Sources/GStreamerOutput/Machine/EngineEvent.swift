import Player

/// What the engine reacts to, one thing after the other.
enum EngineEvent {
  case request(OutputRequest)
  case notice(PipelineEvent)
  /// The pipeline of a track reports something.
  case track(Int, TrackMessage)
  /// The pipeline of the device reports something.
  case device(DeviceMessage)
  /// Something may be due.
  case time
  /// The server of a track sends the end of its file too slowly.
  case readingOverdue(Int)
  /// What an action has led to.
  case result(ActionResult)
  case quit
}

/// A message of a track's pipeline, in plain values.
enum TrackMessage {
  case failed(ErrorReport)
  /// An element tried to open this address, and was refused.
  case refused(address: String)
  case missing(MissingPlugin)
  /// The server has answered.
  case answered(ServerAnswer)
  case tags(TagUpdate)
  case durationChanged
}

/// A message of the device's pipeline, in plain values.
enum DeviceMessage {
  case failed(reason: String, DeviceRecovery.Fault)
  /// It has played everything.
  case ended
  case stateChanged
  /// It has reached the state that it was told to: paused, with samples, or playing.
  case settled
  case clockLost
}

/// The result of an action that may fail or that finds something out.
enum ActionResult {
  case made(NewTrack)
  case notMade(NewTrack, PlaybackFailure)
  /// A track has been told to seek; the stream may refuse. `epoch` is the number of the seek.
  case sought(Int, epoch: Int, isAccepted: Bool)
  /// What is wrong with a track's server.
  case serverFaults(Int, ServerFaults)
  /// The device plays silence before what is queued: the running time at which it begins, and its length, in nanoseconds.
  case ledIn(at: UInt, UInt)
  case opened(DeviceKind, keepsFormat: Bool)
  case notOpened(DeviceKind, SinkProblem)
  /// The device didn't change its state; the error message that says why is on its way.
  case deviceRefused
  /// Whether a device is there in place of the stand-in.
  case deviceFound(Bool)
  /// - Parameter isComplete: whether everything that may appear is noticed.
  case watching(isComplete: Bool)
}
