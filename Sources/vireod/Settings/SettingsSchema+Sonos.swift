/// The device for controllers of the Sonos class.
extension SettingsSchema {
  static let sonos: [SettingKey] = [
    key(
      "sonos", "enabled", .boolean(\.sonos.enabled),
      "Whether controllers that speak to Sonos speakers over UPnP find a zone here. It takes TCP port 1400, which can't be "
        + "another one."),
    key(
      "sonos", "household", .text(\.sonos.household, check: SettingsChecks.household),
      "The household that this zone belongs to: \"Sonos_\" and 26 letters or digits. All Vireos in the network take it over from the "
        + "one that names it.", fallback: "that of the other Vireos, else one of its own"),
    key(
      "sonos", "beside-others", .boolean(\.sonos.besideOthers),
      "Whether the zone shows itself although zones of another household are in the network. Most controllers show one "
        + "household only, whichever answers first."),
  ]
}
