/// The state of the connection to the station.
struct RadioLink: Sendable, Equatable {
  /// The station has been heard since Play.
  var wasHeard = false
  /// Audio data has arrived since Play, whether or not it was heard.
  var hasSent = false
  /// How often the connection was lost, or a reconnection failed, since the station last played steadily.
  var losses = 0
  /// Number of the station's addresses that failed in a row.
  var failedEntries = 0
  /// The attempts since the station last played steadily.
  var tries = StationAttempts()
  /// The resource was already read as a list once, although its name doesn't look like one.
  var lookedInside = false
}
