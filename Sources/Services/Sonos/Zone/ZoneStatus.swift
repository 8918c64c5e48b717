import XML

/// Documents that controllers fetch from a zone besides the services.
public struct ZoneStatus: Sendable {
  let home: ZoneHome

  public init(_ home: ZoneHome) { self.home = home }

  /// `/status/info`: JSON.
  public var info: String {
    let identity = home.identity
    let device = [
      "\"id\":\(SmallJSON.text(identity.uid))", "\"serialNumber\":\(SmallJSON.text(identity.serialNumber))",
      "\"model\":\(SmallJSON.text(ZoneModel.number))",
      "\"modelDisplayName\":\(SmallJSON.text(ZoneModel.name))", "\"name\":\(SmallJSON.text(home.room))",
      "\"swVersion\":\(SmallJSON.text(ZoneModel.software))", "\"capabilities\":[\"PLAYBACK\"]",
    ]
    return "{\"device\":{\(device.joined(separator: ","))}"
      + ",\"householdId\":\(SmallJSON.text(home.household))"
      + ",\"playerId\":\(SmallJSON.text(identity.uid)),\"groupId\":\(SmallJSON.text(home.group.id))}"
  }

  /// `/status/zp`
  public var zone: String {
    let identity = home.identity
    let elements = [
      ("ZoneName", home.room), ("ZoneIcon", home.notes.icon), ("Configuration", "1"),
      ("LocalUID", identity.uid), ("SerialNumber", identity.serialNumber),
      ("SoftwareVersion", ZoneModel.software), ("HardwareVersion", ZoneModel.hardware),
      ("IPAddress", home.address), ("MACAddress", identity.hardwareAddressText), ("HTAudioIn", "0"),
    ].map { "<\($0)>\(XMLEscaping.text($1))</\($0)>" }.joined()
    return "<ZPSupportInfo><ZPInfo>\(elements)</ZPInfo></ZPSupportInfo>"
  }

  /// `/status/topology`
  public var topology: String {
    let zones = home.groups.flatMap { group in
      group.members.enumerated().map { place, member in
        let attributes = [
          ("group", group.id), ("coordinator", place == 0 ? "true" : "false"), ("location", member.location),
          ("uuid", member.uid), ("version", ZoneModel.software),
        ].map { " \($0)=\"\(XMLEscaping.attribute($1))\"" }.joined()
        return "<ZonePlayer\(attributes)>\(XMLEscaping.text(member.name))</ZonePlayer>"
      }
    }
    return "<ZPSupportInfo><ZonePlayers>\(zones.joined())</ZonePlayers><MediaServers/></ZPSupportInfo>"
  }

  /// `/status/accounts`: none.
  public var accounts: String {
    "<ZPSupportInfo type=\"User\"><Accounts LastUpdateDevice=\"\(home.identity.uid)\" Version=\"1\" NextSerialNum=\"1\"/>"
      + "</ZPSupportInfo>"
  }
}
