extension RootDevice {
  /// The description as served, without what depends on the request: no `configId`, and the presentation page as a
  /// path.
  public var document: String {
    String(buffer: DeviceDescriptionXML.document(device, configID: nil, base: ""))
  }

  /// CONFIGID.UPNP.ORG, which identifies this combination of description and SCPDs: 0…16777215, computed each time.
  var configID: Int {
    var fingerprint = Fingerprint(
      DeviceDescriptionXML.document(device, configID: nil, base: "").readableBytesView)
    for service in device.all.flatMap(\.services) {
      fingerprint.add(service.scpd.head.utf8)
      fingerprint.add(service.scpd.tail.utf8)
    }
    return Int((fingerprint.value ^ fingerprint.value >> 24 ^ fingerprint.value >> 48) & 0xff_ffff)
  }
}
