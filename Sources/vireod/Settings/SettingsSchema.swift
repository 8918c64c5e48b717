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
    Section(name: "limits", summary: "Bounds on what clients may use. The defaults suit a home."),
    Section(name: "audio", summary: "Where the sound goes."),
    Section(name: "playback", summary: "How streams are fetched and played."),
    Section(name: "volume", summary: "What volume 0 to 100 means."),
    Section(name: "upnp-av", summary: "The UPnP AV device (MediaRenderer:1)."),
    Section(name: "openhome", summary: "The OpenHome device, whose playlist lives in the renderer."),
    Section(name: "playlist", summary: "OpenHome's playlist."),
    Section(name: "radio", summary: "OpenHome's radio: stations to choose from."),
    Section(name: "rooms", summary: "Rooms that play together (Songcast)."),
    Section(
      name: "compatibility", summary: "Where control points disagree. Change nothing without need."),
    Section(
      name: "hooks",
      summary: "Programs to run when something happens; their environment says what (VIREO_STATE and so on)."),
    Section(name: "page", summary: "The page in the browser, and the API that it and scripts use."),
    Section(name: "party", summary: "Requests of guests. A party keeps the rules that it has begun with."),
    Section(
      name: "uploads",
      summary: "Songs from phones (\"Play from this phone\" on the page). Off by default."),
    Section(
      name: "reports", summary: "Reports of what was heard, to servers that keep count of it. Off by default."
    ),
    Section(
      name: "reports.listenbrainz", summary: "ListenBrainz, and servers that speak its language (Maloja)."),
    Section(name: "reports.webhook", summary: "A server of your own, which is sent JSON."),
    Section(name: "reports.lastfm", summary: "Last.fm, and servers that speak its language (Libre.fm)."),
    Section(
      name: "sonos", summary: "The device for controllers of the Sonos class (ZonePlayer:1). Off by default."),
    Section(name: "metrics", summary: "Figures for Prometheus."),
    Section(name: "log", summary: "What is logged, to standard error or the journal."),
  ]

  /// All keys, grouped by section in the order of ``sections``.
  static let keys: [SettingKey] =
    device + network + limits + audio + playback + volume + upnpAV + openHome + playlist + radio
    + rooms + compatibility + hooks + page + party + uploads + reports + sonos + metrics + log

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
      fallback: "derived from /etc/machine-id, which each installed system has of its own"),
    key(
      "device", "icon", .text(\.device.icon, check: SettingsChecks.absolutePath),
      "Path of a PNG, at most 256 KiB, to show instead of the bird.", fallback: "the bird",
      reloadable: true),
  ]

  private static let network: [SettingKey] = [
    key(
      "network", "interfaces", .texts(\.network.interfaces, check: SettingsChecks.interfaceName),
      "Interfaces to be seen on, by name or pattern (\"eth*\"); loopback only counts when it is named.",
      fallback: "all that lead to a local network, not to containers and virtual machines only"),
    key(
      "network", "port", .integer(\.network.port, 0...65535, unit: "TCP port"),
      "Port of the HTTP server; 0 takes any free one. If the default is taken, any free one is used too."),
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
      "limits", "body-bytes", .integer(\.limits.bodyBytes, 16384...524_288, unit: "bytes"),
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
      "How long a connection to a subscriber is kept for its next event; 0 closes it after each."),
  ]

  private static let audio: [SettingKey] = [
    key(
      "audio", "output", .text(\.audio.output, check: SettingsChecks.output),
      "The sound device: auto, alsa, alsa:DEVICE, pulse, pulse:SINK, pipewire, pipewire:NODE, file:/PATH.wav, null, or "
        + "pipeline:GSTREAMER-BIN. vireod --list-outputs shows what this host has."),
    key(
      "audio", "release-after", .duration(\.audio.releaseAfter, .zero ... .seconds(86400)),
      "How long after Stop the sound device is kept from other programs."),
    key(
      "audio", "buffer", .duration(\.audio.buffer, .zero ... .seconds(10)),
      "How much sound the sound device holds; 0: as much as it prefers. More helps a busy machine, less reacts sooner."
    ),
    key(
      "audio", "period", .duration(\.audio.period, .zero ... .seconds(1)),
      "How much sound the device is handed at a time, at most half of buffer; 0: as the device prefers."),
    key(
      "audio", "patience", .duration(\.audio.patience, .zero ... .seconds(86400)),
      "How long playback waits for a sound device that was unplugged or switched off; then it stops."),
    key(
      "audio", "mixer", .text(\.audio.mixer, check: SettingsChecks.mixer),
      "Where the volume is applied: software, alsa:CONTROL or alsa:CONTROL@CARD, command:/PROGRAM, or none."),
    key(
      "audio", "channels", choice(\.audio.channels),
      "Which channels are heard: stereo as recorded; mono, the mean of left and right; left or right, that one on both sides; "
        + "swapped, left and right exchanged."),
    key(
      "audio", "resampler", choice(\.audio.resampler),
      "How well a sample rate that the device doesn't have is converted; the better, the more work."),
    key(
      "audio", "rates", .integers(\.audio.rates, 8000...768_000, unit: "Hz"),
      "The sample rates that the device is given. Others are converted to the smallest of these that is a multiple, else to the "
        + "next higher, else to the highest.",
      fallback: "every rate that the device takes"),
  ]

  private static let playback: [SettingKey] = [
    key(
      "playback", "buffer", .duration(\.playback.buffer, .milliseconds(100) ... .seconds(60)),
      "How much of a stream is read ahead, against gaps on Wi-Fi."),
    key(
      "playback", "timeout", .duration(\.playback.timeout, .seconds(1) ... .seconds(300)),
      "How long a media server may keep silent before the connection counts as broken."),
    key(
      "playback", "patience", .duration(\.playback.patience, .zero ... .seconds(3600)),
      "How long a track is waited for while its server or the network is away; then playing stops.",
      reloadable: true),
    key(
      "playback", "pause-release", .duration(\.playback.pauseRelease, .zero ... .seconds(86400)),
      "How long after Pause the sound device and the connection are kept; Play goes on where it was.",
      reloadable: true),
    key(
      "playback", "user-agent", .text(\.playback.userAgent, check: SettingsChecks.headerValue),
      "What media servers are told about us.", fallback: "\"Vireo/VERSION\""),
    key(
      "playback", "redirects", .integer(\.playback.redirects, 0...20, unit: ""),
      "How many HTTP redirects are followed."),
    key(
      "playback", "directories", .texts(\.playback.directories, check: SettingsChecks.absolutePath),
      "Directories below which file: URIs may point.", fallback: "file: URIs are refused"),
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
      "Whether a track's gain is reduced where its peaks would clip."),
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
        "How long a program may run until it is ended.", reloadable: true),
      key(
        "hooks", "off-delay", .duration(\.hooks.offDelay, .zero ... .seconds(3600)),
        "How long it must be silent before on-stop is run; in a pause, pause-release if that is longer. Standby and the end of "
          + "vireod don't wait.", reloadable: true),
    ]
    + [
      ("on-play", \Settings.hooks.play, "Playing begins, before the first sound is heard, or goes on."),
      ("on-pause", \.hooks.pause, "Playback is paused."),
      ("on-stop", \.hooks.stop, "It has been silent for off-delay, or standby begins, or vireod ends."),
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
    key(
      "log", "reports", level(\.log.reports),
      "The same for reports of what was heard; debug shows what is sent."),
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
