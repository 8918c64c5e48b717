import Player

/// The keys of the OpenHome device.
extension SettingsSchema {
  static let openHome: [SettingKey] =
    [
      key("openhome", "enabled", .boolean(\.openHome.enabled), "Whether the OpenHome device is there."),
      key(
        "openhome", "product", .text(\.openHome.product, check: SettingsChecks.name),
        "What OpenHome control points show beside the room.", reloadable: true),
    ] + SourceKind.allCases.map(sourceName) + [
      key(
        "openhome", "startup-source", startupSource,
        "The source at start and when standby is left; \"last\" is the one that was used last.",
        reloadable: true)
    ]

  private static func sourceName(_ source: SourceKind) -> SettingKey {
    let contents =
      switch source {
      case .playlist: "the playlist"
      case .radio: "stations"
      case .receiver: "what another room sends"
      case .upnpAV: "what UPnP AV control points cast"
      }
    return key(
      "openhome", "\(source.rawValue)-name", .text(\.openHome[nameOf: source], check: SettingsChecks.name),
      "The name of the source that plays \(contents).", reloadable: true)
  }

  private static let startupSource = SettingKey.Kind.choice(
    ["last"] + SourceKind.allCases.map(\.rawValue), get: { $0.openHome.startupSource?.rawValue ?? "last" },
    set: { $0.openHome.startupSource = SourceKind(rawValue: $1) })

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

  static let rooms: [SettingKey] = [
    key(
      "rooms", "enabled", .boolean(\.rooms.enabled),
      "Whether rooms can play together: this one can listen to another, such as a Vireo, a Linn device or a Songcast "
        + "program, and others can listen to it."),
    key(
      "rooms", "latency", .integer(\.rooms.latency, 150...340, unit: "milliseconds"),
      "How long after it was sent the sound is heard in all rooms. Skip and pause take so much longer in a group. More helps "
        + "on a bad Wi-Fi."),
    key(
      "rooms", "mode",
      choice(\.rooms.mode),
      "unicast sends to each room separately, which suits Wi-Fi. multicast sends once to all, for many rooms on cables."
    ),
    key(
      "rooms", "max-rate", .integer(\.rooms.maximumRate, 44100...384000, unit: "Hz"),
      "Faster sound is sent to other rooms with half or a quarter of its samples. What is heard here stays as it is."
    ),
    key(
      "rooms", "output-delay", .integer(\.rooms.outputDelay, -500_000...500_000, unit: "microseconds"),
      "How much later than the sound device the loudspeaker sounds: what an amplifier, a DSP or a television adds. In a group "
        + "this room is that much ahead."),
    key(
      "rooms", "channels",
      choice(\.rooms.channels),
      "What the loudspeakers of this room play of another room's sound: stereo, mono, left or right for both, or swapped. For "
        + "two rooms as left and right."),
  ]

  static let compatibility: [SettingKey] = [
    key(
      "compatibility", "product-version", .integer(\.compatibility.productVersion, 1...4, unit: ""),
      "The version of OpenHome's Product to announce. With 1 every service is version 1: for one version of the Lumin "
        + "app, and for control points of 2016 and before (old ones of Kazoo and Linn), which use no other."),
    key(
      "compatibility", "current-song-in-metadata", .boolean(\.compatibility.currentSongInMetadata),
      "For players that ignore OpenHome's Metatext and would show a station but never its song: puts the song into "
        + "Info's Metadata.", reloadable: true),
    key(
      "compatibility", "hide-upnp-av", .boolean(\.compatibility.hidesUPnPAV),
      "For old versions of Kinsky, which UPnP AV beside OpenHome confuses: leaves UPnP AV out, device and source, "
        + "as long as OpenHome is enabled."),
  ]
}
