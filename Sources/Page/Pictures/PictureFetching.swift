import NIOCore

/// Gets pictures from other hosts.
package protocol PictureFetching: Sendable {
  /// Gets the picture at `url`. Ends early when its task is cancelled.
  ///
  /// - Parameter limit: the most bytes that it may have.
  func picture(at url: PictureURL, limit: Int) async -> FetchedPicture
}

/// What has become of a fetch.
package enum FetchedPicture: Sendable, Hashable {
  case picture(Picture)
  /// It is longer than the limit, which is less than ``Picture/largest``.
  case tooLarge
  case missing
}
