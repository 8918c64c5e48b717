/// The only instance without PrepareForConnection (ConnectionManager, "CurrentConnectionIDs").
enum AVInstance {
  static let id: Int32 = 0
}
