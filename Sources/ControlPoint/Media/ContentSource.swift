/// Browse and Search of a media server, one page at a time.
public protocol ContentSource: Sendable {
  /// The children of a container.
  func browse(children container: String, _ request: Listing.Request) async throws(ActionFailure)
    -> BrowseAnswer
  /// The object itself.
  func browse(metadata object: String) async throws(ActionFailure) -> BrowseAnswer
  func search(
    _ container: String, _ criteria: SearchCriteria, _ request: Listing.Request
  ) async throws(ActionFailure) -> BrowseAnswer
  /// Comma-separated names of properties.
  func searchCapabilities() async throws(ActionFailure) -> String
  func sortCapabilities() async throws(ActionFailure) -> String
  /// Returns after a time, or when the task is cancelled.
  func wait(_ duration: Duration) async
}

extension ContentSource {
  public func wait(_ duration: Duration) async { try? await Task.sleep(for: duration) }
}
