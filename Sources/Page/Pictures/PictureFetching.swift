/// Gets pictures from other hosts.
package protocol PictureFetching: Sendable {
  /// The picture at `url`; nil when there is none. Ends early when its task is cancelled.
  func picture(at url: PictureURL) async -> Picture?
}
