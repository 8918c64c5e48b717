import HTTP
import Services
import UPnP

/// The root device for controllers of the Sonos class.
extension Devices {
  func zonePlayer(_ home: ZoneHome, icons: [DeviceIcon]) -> RootDevice {
    var root = RootDevice(
      ZoneDevice.device(
        home, manufacturer: Self.manufacturer, icon: icons.min { abs($0.width - 48) < abs($1.width - 48) },
        server: zonePlayback?.serverServices ?? [], renderer: zonePlayback?.rendererServices ?? [],
        grouping: zonePlayback?.grouping))
    root.descriptionPath = ZoneDevice.descriptionPath
    root.port = ZoneIdentity.port
    root.serverToken = ZoneDevice.server
    root.ssdpFields = [
      HTTPField(ZoneNotice.field, home.household),
      HTTPField(ZoneNotice.sequenceField, "\(home.identity.bootSequence)"),
    ]
    // Otherwise each general control point lists the embedded renderer besides our own one.
    root.announcement = .rootDevice
    root.sidFormat = .numbered(prefix: "uuid:\(home.identity.uid)_sub")
    root.habits = DeviceHabits(
      isLenient: true, eventServiceField: "X-SONOS-SERVICETYPE", closesEvents: true,
      answersWithin: .milliseconds(400), answersWithoutMAN: true, isIPv4Only: true,
      // Home Assistant finds a zone that comes back by its ST alone, which it also looks for in announcements.
      announcesSearchTarget: true, listensAtOwnAddresses: true)
    return root
  }
}
