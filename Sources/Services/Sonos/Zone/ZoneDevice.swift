import UPnP
import XML

/// The root device that controllers of the Sonos class drive: `urn:schemas-upnp-org:device:ZonePlayer:1`.
public enum ZoneDevice {
  /// The type of the root device; controllers search for it.
  public static let type = "urn:schemas-upnp-org:device:ZonePlayer:1"
  /// Where every zone has its description; some controllers know no other place.
  public static let descriptionPath = "/xml/device_description.xml"
  /// The SERVER field. Controllers look for its product, and read the model between the parentheses.
  public static let server = "Linux UPnP/1.0 Sonos/\(ZoneModel.software) (\(ZoneModel.number))"

  /// Makes the device. A controller knows its name, its icon's place and its embedded devices.
  ///
  /// - Parameters:
  ///   - manufacturer: who made it; never the company whose controllers it serves.
  ///   - icon: controllers expect exactly one.
  ///   - server: the services of the media server: ContentDirectory and ConnectionManager.
  ///   - renderer: the services of the media renderer.
  ///   - grouping: what other zones of this program may ask for.
  public static func device(
    _ home: ZoneHome, manufacturer: String, icon: DeviceIcon?, server: [any ServiceProvider] = [],
    renderer: [any ServiceProvider] = [], grouping: ZoneGrouping? = nil
  ) -> Device {
    let uid = home.identity.uid
    var device = Self.device(home, "ZonePlayer", udn: uid, name: ZoneModel.name, manufacturer: manufacturer)
    device.modelNumber = ZoneModel.number
    device.icons = [icon].compactMap(\.self)
    for place in device.icons.indices { device.icons[place].path = "/img/icon-S18.png" }
    device.services = services(home, grouping)
    device.extraElements = extraElements(home)
    device.servicePaths = paths(below: "")
    for (type, suffix, services) in [("MediaServer", "_MS", server), ("MediaRenderer", "_MR", renderer)] {
      var embedded = Self.device(
        home, type, udn: uid + suffix, name: "\(ZoneModel.name) \(type)", manufacturer: manufacturer)
      embedded.services = services
      embedded.servicePaths = paths(below: "/\(type)")
      device.devices.append(embedded)
    }
    return device
  }

  private static func services(_ home: ZoneHome, _ grouping: ZoneGrouping?) -> [any ServiceProvider] {
    [
      ZoneAlarmService(home: home), ZoneMusicService(identity: home.identity),
      ZonePropertiesService(home: home), ZoneSystemService(home: home),
      ZoneTopologyService(home: home, neighbours: grouping?.neighbours ?? NoZoneNeighbours()),
      ZoneGroupService(home: home), ZoneQPlayService(), ZoneHouseholdService(home: home, grouping: grouping),
    ]
  }

  private static func device(
    _ home: ZoneHome, _ type: String, udn: String, name: String, manufacturer: String
  ) -> Device {
    Device(
      type: type, version: 1, udn: udn, friendlyName: String("\(home.room) - \(name)".prefix(63)),
      manufacturer: manufacturer, modelDescription: "Network audio renderer", modelName: ZoneModel.name,
      services: [])
  }

  private static func paths(below base: String) -> ServicePaths {
    ServicePaths(scpd: "/xml/*1.xml", control: "\(base)/*/Control", event: "\(base)/*/Event")
  }

  /// What descriptions of zones have besides the elements of every device.
  private static func extraElements(_ home: ZoneHome) -> String {
    [
      ("softwareVersion", ZoneModel.software), ("swGen", ZoneModel.generation),
      ("hardwareVersion", ZoneModel.hardware), ("serialNum", home.identity.serialNumber),
      ("MACAddress", home.identity.hardwareAddressText),
      ("minCompatibleVersion", ZoneModel.oldestCompatible),
      ("legacyCompatibleVersion", ZoneModel.oldestLegacyCompatible), ("apiVersion", "1.44.1"),
      ("minApiVersion", "1.1.0"), ("displayVersion", ZoneModel.displaySoftware), ("extraVersion", ""),
      ("nsVersion", ""), ("roomName", home.room), ("displayName", ZoneModel.name), ("zoneType", "29"),
      ("feature1", "0x00000000"), ("feature2", "0x00000000"), ("feature3", "0x00000000"),
      ("seriesid", "V100"), ("variant", "0"), ("internalSpeakerSize", "-1"), ("memory", "128"),
      ("flash", "64"), ("ampOnTime", "10"), ("retailMode", "0"),
    ]
    .map { "<\($0)>\(XMLEscaping.text($1))</\($0)>" }.joined()
  }
}
