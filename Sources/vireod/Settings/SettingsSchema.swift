/// The table of all configuration keys.
enum SettingsSchema {
  struct Section: Sendable {
    var name: String
    /// One line for people.
    var summary: String
  }

  static let sections: [Section] = [
    Section(name: "device", summary: "Who the renderer is on the network."),
    Section(name: "network", summary: "Where it is seen and heard, and by whom."),
    Section(name: "limits", summary: "What others can make it spend. The defaults suit a home."),
    Section(name: "audio", summary: "Where the sound goes."),
    Section(name: "playback", summary: "How streams are fetched and played."),
    Section(name: "volume", summary: "What volume 0 to 100 means."),
    Section(name: "upnp-av", summary: "The UPnP AV device (MediaRenderer:1)."),
    Section(name: "openhome", summary: "The OpenHome device, whose playlist lives in the renderer."),
    Section(name: "playlist", summary: "OpenHome's playlist."),
    Section(name: "radio", summary: "OpenHome's radio: stations to choose from."),
    Section(
      name: "compatibility", summary: "Where control points disagree. Change nothing without need."),
    Section(
      name: "hooks",
      summary: "Programs to run when something happens; their environment says what (VIREO_STATE and so on)."),
    Section(name: "metrics", summary: "Figures for Prometheus."),
    Section(name: "log", summary: "What is logged, to standard error or the journal."),
  ]

  /// All keys, grouped by section in the order of ``sections``.
  static let keys: [SettingKey] =
    device + network + limits + audio + playback + volume + upnpAV + openHome + playlist + radio
    + compatibility + hooks + metrics + log

  static func key(section: String, name: String) -> SettingKey? {
    keys.first { $0.section == section && $0.name == name }
  }

  private static let device: [SettingKey] = [
    key(
      "device", "name", .text(\.device.name, check: SettingsChecks.friendlyName),
      "The name that control points show.",
      fallback: "the room, or \"Vireo (HOSTNAME)\"", reloadable: true),
    key(
      "device", "room", .text(\.device.room, check: SettingsChecks.friendlyName),
      "The room that the speaker stands in.", fallback: "none", reloadable: true),
    key(
      "device", "uuid", .text(\.device.uuid, check: SettingsChecks.uuid),
      "Unique device name, with or without \"uuid:\" in front. Two renderers must never share one.",
      fallback: "made of the machine's id; the same after a reinstallation"),
    key(
      "device", "icon", .text(\.device.icon, check: SettingsChecks.absolutePath),
      "Path of a PNG, at most 256 KiB, to show instead of the bird.", fallback: "the bird",
      reloadable: true),
  ]

  private static let network: [SettingKey] = [
    key(
      "network", "interfaces", .texts(\.network.interfaces, check: SettingsChecks.interfaceName),
      "Interfaces to be seen on, by name or pattern (\"eth*\"); loopback only counts when it is named.",
      fallback: "all that lead to a local network"),
    key(
      "network", "port", .integer(\.network.port, 0...65535, unit: "TCP port"),
      "Port of the HTTP server; 0 takes any free one, and so does the default when it is taken."),
    key("network", "ipv6", .boolean(\.network.ipv6), "Whether to be seen on IPv6 as well."),
    key(
      "network", "ttl", .integer(\.network.ttl, 1...255, unit: "hops"),
      "How many routers an announcement may cross."),
    key(
      "network", "allow", .texts(\.network.allow, check: SettingsChecks.network),
      "Networks, as ADDRESS/BITS, whose hosts may use the renderer besides those that are connected directly.",
      fallback: "only networks that are connected directly", reloadable: true),
    key(
      "network", "hostnames", .texts(\.network.hostnames, check: SettingsChecks.hostName),
      "Names by which requests may address this host, besides its own name and addresses.",
      fallback: "none", reloadable: true),
  ]

  private static let limits: [SettingKey] = [
    key(
      "limits", "connections", .integer(\.limits.connections, 1...10000, unit: ""),
      "HTTP connections at once."),
    key(
      "limits", "connections-per-address", .integer(\.limits.connectionsPerAddress, 1...10000, unit: ""),
      "HTTP connections at once from one address."),
    key(
      "limits", "header-bytes", .integer(\.limits.headerBytes, 1024...1_048_576, unit: "bytes"),
      "The longest head of a request."),
    key(
      "limits", "body-bytes", .integer(\.limits.bodyBytes, 16384...16_777_216, unit: "bytes"),
      "The longest body of a request."),
    key(
      "limits", "header-seconds", .duration(\.limits.headerTime, .seconds(1) ... .seconds(300)),
      "How long a request's head may take to arrive."),
    key(
      "limits", "body-seconds", .duration(\.limits.bodyTime, .seconds(1) ... .seconds(300)),
      "How long a request's body may take to arrive."),
    key(
      "limits", "idle-seconds", .duration(\.limits.idleTime, .seconds(1) ... .seconds(3600)),
      "How long a connection without a request is kept."),
    key(
      "limits", "subscriptions", .integer(\.limits.subscriptions, 1...100_000, unit: ""),
      "Event subscriptions at once."),
    key(
      "limits", "subscriptions-per-address",
      .integer(\.limits.subscriptionsPerAddress, 1...100_000, unit: ""),
      "Event subscriptions at once from one address."),
    key(
      "limits", "event-idle-seconds", .duration(\.limits.eventIdleTime, .zero ... .seconds(60)),
      "How long a connection to a subscriber is kept for its next event; 0 closes it behind each."),
  ]

  private static let audio: [SettingKey] = [
    key(
      "audio", "output", .text(\.audio.output, check: SettingsChecks.output),
      "The sound device: auto, alsa:DEVICE, pulse, pipewire, file:/PATH.wav, null, or pipeline:GSTREAMER-BIN."
    ),
    key(
      "audio", "release-after", .duration(\.audio.releaseAfter, .zero ... .seconds(86400)),
      "How long after Stop the sound device is kept from other programs."),
    key(
      "audio", "mixer", .text(\.audio.mixer, check: SettingsChecks.mixer),
      "Where the volume is made: software, alsa:CONTROL or alsa:CONTROL@CARD, command:/PROGRAM, or none."),
  ]

  private static let playback: [SettingKey] = [
    key(
      "playback", "buffer", .duration(\.playback.buffer, .milliseconds(100) ... .seconds(60)),
      "How much of a stream is read ahead, against gaps on Wi-Fi."),
    key(
      "playback", "timeout", .duration(\.playback.timeout, .seconds(1) ... .seconds(300)),
      "How long a media server may keep silent before the track has failed."),
    key(
      "playback", "user-agent", .text(\.playback.userAgent, check: SettingsChecks.headerValue),
      "What media servers are told about us.", fallback: "\"Vireo/VERSION\""),
    key(
      "playback", "redirects", .integer(\.playback.redirects, 0...20, unit: ""),
      "How many HTTP redirects are followed."),
    key(
      "playback", "directories", .texts(\.playback.directories, check: SettingsChecks.absolutePath),
      "Directories below which file: URIs may point.", fallback: "none: file: URIs are refused"),
    key(
      "playback", "resume", .boolean(\.playback.resume),
      "Whether the playlist's current track begins after a restart where it was.", reloadable: true),
    key(
      "playback", "replaygain", choice(\.playback.replayGain),
      "Whether tracks are made equally loud, as their tags say: each by itself, or whole albums."),
    key(
      "playback", "replaygain-preamp", .integer(\.playback.replayGainPreamp, -20...20, unit: "dB"),
      "Added to what the tags say, and to nothing for tracks without tags."),
    key(
      "playback", "replaygain-clipping-protection", .boolean(\.playback.replayGainClippingProtection),
      "Whether tracks are made less loud than wished where their peaks would be cut off."),
  ]

  private static let volume: [SettingKey] = [
    key(
      "volume", "curve", choice(\.volume.curve),
      "How volume 0 to 100 becomes loudness; \"db\" makes every step equally many dB.",
      reloadable: true),
    key(
      "volume", "range", .integer(\.volume.range, 10...120, unit: "dB"),
      "Difference between volume 1 and 100 on the curve \"db\".", reloadable: true),
    key(
      "volume", "limit", .integer(\.volume.limit, 0...100, unit: ""),
      "The loudest volume that can be set.", reloadable: true),
    key(
      "volume", "initial", .integer(\.volume.initial, 0...100, unit: ""),
      "The volume at the very first start; later the last one counts."),
    key(
      "volume", "startup", .integerOr("none", \.volume.startup, 0...100),
      "The volume at every start and when standby is left; \"none\": the last one.", reloadable: true),
  ]

  private static let upnpAV: [SettingKey] = [
    key("upnp-av", "enabled", .boolean(\.upnpAV.enabled), "Whether the UPnP AV device is there.")
  ]

  private static let hooks: [SettingKey] =
    [
      key(
        "hooks", "timeout", .duration(\.hooks.timeout, .milliseconds(100) ... .seconds(300)),
        "How long a program may run until it is ended.", reloadable: true)
    ]
    + [
      ("on-play", \Settings.hooks.play, "Sound begins, or goes on after a pause."),
      ("on-pause", \.hooks.pause, "Playback is paused."),
      ("on-stop", \.hooks.stop, "Playback has stopped, or the last track has ended."),
      ("on-track", \.hooks.track, "Another track, or another title of a station, is heard."),
      ("on-volume", \.hooks.volume, "The volume was changed."),
      ("on-mute", \.hooks.mute, "Mute was switched on or off."),
      ("on-standby", \.hooks.standby, "Standby has begun or ended."),
      ("on-error", \.hooks.error, "Something couldn't be played."),
    ].map { (name: String, field: SettingKey.Field<[String]>, summary: String) in
      key("hooks", name, .command(field), summary, fallback: "none")
    }.map {
      var key = $0
      key.isReloadable = true
      return key
    }

  private static let metrics: [SettingKey] = [
    key("metrics", "enabled", .boolean(\.metrics.enabled), "Whether /metrics is served.")
  ]

  private static let log: [SettingKey] = [
    key("log", "level", choice(\.log.level), "The least serious messages that are logged.", reloadable: true),
    key("log", "discovery", level(\.log.discovery), "The same for announcements and searches (SSDP)."),
    key("log", "http", level(\.log.http), "The same for connections, requests and actions."),
    key("log", "events", level(\.log.events), "The same for subscriptions and events (GENA)."),
    key("log", "player", level(\.log.player), "The same for what plays."),
    key("log", "output", level(\.log.output), "The same for streams and the sound device (GStreamer)."),
    key("log", "network", level(\.log.network), "The same for interfaces and addresses."),
    key("log", "daemon", level(\.log.daemon), "The same for starting, stopping, configuration and state."),
  ].map { key in
    var key = key
    key.isReloadable = true
    if key.name != "level" { key.fallback = "as level" }
    return key
  }

  static func key(
    _ section: String, _ name: String, _ kind: SettingKey.Kind, _ summary: String, fallback: String? = nil,
    reloadable: Bool = false
  ) -> SettingKey {
    SettingKey(
      section: section, name: name, kind: kind, summary: summary, fallback: fallback,
      isReloadable: reloadable)
  }

  static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ field: SettingKey.Field<Value>
  ) -> SettingKey.Kind {
    .choice(
      Value.allCases.map(\.rawValue), get: { $0[keyPath: field].rawValue },
      set: { settings, text in
        guard let value = Value(rawValue: text) else { return }
        settings[keyPath: field] = value
      })
  }

  private static func level(_ field: SettingKey.Field<LogLevel?>) -> SettingKey.Kind {
    .choice(
      LogLevel.allCases.map(\.rawValue), get: { $0[keyPath: field]?.rawValue ?? "" },
      set: { $0[keyPath: field] = LogLevel(rawValue: $1) })
  }
}
