extension RootDevice {
  /// The description as served, without what depends on the request: no `configId`, and the presentation page as a
  /// path.
  public var document: String {
    String(buffer: DeviceDescriptionXML.document(self, configID: nil, base: ""))
  }
}
