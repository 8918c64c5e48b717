import HTTP
import NIOCore
import Services
import UPnP

/// The zone for controllers of the Sonos class.
extension Daemon {
  /// Shows or withdraws the zone, or announces it anew since its description has changed (`shows` is nil).
  func presentZone(_ shows: Bool?) {
    let old = showsZone
    showsZone = shows ?? old
    if shows == nil || showsZone != old { present() }
    // It shows the name of the room.
    if shows == nil { page.set(loaded, namedSettings, devices: roots) }
  }

  /// The settings with the name that a controller has given the room.
  var namedSettings: Settings { settings.named(by: zone) }

  /// The covers that controllers fetch from the zone.
  static func covers(
    _ page: PageParts, _ eventLoop: any EventLoop, _ server: SetOnce<DeviceServer>
  ) -> any Responder {
    page.covers(eventLoop: eventLoop) { id, response in
      server.value?.http(at: ZoneIdentity.port)?.assumeIsolated { $0.complete(id, with: response) }
    }
  }
}

extension Settings {
  /// These settings with the name that a controller of the Sonos class has given the room, if one has.
  func named(by zone: ZoneParts?) -> Settings {
    guard let room = zone?.home.givenRoom else { return self }
    var named = self
    named.device.room = room
    return named
  }
}
