extension RootDevice {
  /// The description as it is served, save for what depends on who asks: no `configId`, and the presentation page
  /// as a path.
  public var document: String {
    String(buffer: DeviceDescriptionXML.document(self, configID: nil, base: ""))
  }
}
