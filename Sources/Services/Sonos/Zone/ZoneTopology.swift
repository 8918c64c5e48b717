import XML

/// A zone as the list of all groups shows it.
struct ZoneMember: Sendable, Hashable {
  var uid: String
  /// An IPv4 address: no controller uses IPv6.
  var address: String
  var name: String
  var icon: String
  var bootSequence: Int
  var isIdle: Bool

  var location: String { "http://\(address):\(ZoneIdentity.port)\(ZoneDevice.descriptionPath)" }
}

/// Zones that play the same; the first one says what.
struct ZoneGroup: Sendable, Hashable {
  var id: String
  var members: [ZoneMember]
}

/// Writes the list of all groups of a household (ZoneGroupTopology, "ZoneGroupState").
enum ZoneTopology {
  static func document(_ groups: [ZoneGroup]) -> String {
    "<ZoneGroupState><ZoneGroups>" + groups.map(group).joined()
      + "</ZoneGroups><VanishedDevices></VanishedDevices></ZoneGroupState>"
  }

  private static func group(_ group: ZoneGroup) -> String {
    guard let coordinator = group.members.first else { return "" }
    return "<ZoneGroup\(attributes([("Coordinator", coordinator.uid), ("ID", group.id)]))>"
      + group.members.map { "<ZoneGroupMember\(attributes(facts($0)))></ZoneGroupMember>" }.joined()
      + "</ZoneGroup>"
  }

  private static func facts(_ member: ZoneMember) -> [(String, String)] {
    [
      ("UUID", member.uid), ("Location", member.location), ("ZoneName", member.name), ("Icon", member.icon),
      ("Configuration", "1"), ("SoftwareVersion", ZoneModel.software), ("SWGen", ZoneModel.generation),
      ("MinCompatibleVersion", ZoneModel.oldestCompatible),
      ("LegacyCompatibleVersion", ZoneModel.oldestLegacyCompatible), ("BootSeq", "\(member.bootSequence)"),
    ]
      // No microphone, no television, on a cable.
      + [
        ("TVConfigurationError", "0"), ("HdmiCecAvailable", "0"), ("WirelessMode", "0"),
        ("WirelessLeafOnly", "0"), ("ChannelFreq", "2412"), ("BehindWifiExtender", "0"),
        ("WifiEnabled", "0"), ("EthLink", "1"), ("Orientation", "0"), ("RoomCalibrationState", "4"),
        ("SecureRegState", "3"), ("VoiceConfigState", "0"), ("MicEnabled", "0"), ("AirPlayEnabled", "0"),
      ]
      + [("IdleState", member.isIdle ? "1" : "0"), ("MoreInfo", "")]
  }

  private static func attributes(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0)=\"\(XMLEscaping.attribute($1))\"" }.joined()
  }
}
