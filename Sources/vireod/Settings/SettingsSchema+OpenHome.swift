/// The keys of the OpenHome device.
extension SettingsSchema {
  static let openHome: [SettingKey] = [
    key("openhome", "enabled", .boolean(\.openHome.enabled), "Whether the OpenHome device is there."),
    key(
      "openhome", "product", .text(\.openHome.product, check: SettingsChecks.name),
      "What OpenHome control points show beside the room.", reloadable: true),
    key(
      "openhome", "playlist-name", .text(\.openHome.playlistName, check: SettingsChecks.name),
      "The name of the source that plays the playlist.", reloadable: true),
    key(
      "openhome", "radio-name", .text(\.openHome.radioName, check: SettingsChecks.name),
      "The name of the source that plays stations.", reloadable: true),
    key(
      "openhome", "upnp-av-name", .text(\.openHome.upnpAVName, check: SettingsChecks.name),
      "The name of the source that plays what UPnP AV control points cast.", reloadable: true),
    key(
      "openhome", "startup-source", choice(\.openHome.startupSource),
      "The source at start and when standby is left; \"last\" is the one that was used last.",
      reloadable: true),
  ]

  static let playlist: [SettingKey] = [
    key(
      "playlist", "tracks-max", .integer(\.playlist.tracksMax, 1...16384, unit: "tracks"),
      "How long the playlist can get.", reloadable: true)
  ]

  static let radio: [SettingKey] = [
    key(
      "radio", "playlists", .texts(\.radio.playlists, check: SettingsChecks.fileOrURL),
      "Lists of stations (M3U, PLS, XSPF, ASX, OPML), as paths or URLs. Files are followed as they change; "
        + "URLs are read at the start, at a reload, and when a control point asks.", fallback: "none",
      reloadable: true),
    key(
      "radio", "preset", .presets(\.radio.presets), "A station; these come before those of the lists.",
      fallback: "none", reloadable: true),
  ]

  static let compatibility: [SettingKey] = [
    key(
      "compatibility", "product-version", .integer(\.compatibility.productVersion, 1...4, unit: ""),
      "The version of OpenHome's Product to announce. One version of the Lumin app finds only renderers that "
        + "announce 1."),
    key(
      "compatibility", "current-song-in-metadata", .boolean(\.compatibility.currentSongInMetadata),
      "Puts a station's current song into Info's Metadata, for control points that ignore Metatext and would "
        + "show the station only.", reloadable: true),
  ]
}
