import Listening

/// The keys of reports of what was heard.
extension SettingsSchema {
  static let reports: [SettingKey] =
    [
      key(
        "reports", "enabled", .boolean(\.reports.enabled),
        "Whether it is reported what was heard: artist, title, album, length, numbers of MusicBrainz, time, and this program. Never "
          + "addresses, names of rooms, or who chose it."),
      key(
        "reports", "radio", .boolean(\.reports.radio),
        "Whether songs of stations are reported, too, whichever source plays the station."),
      key(
        "reports", "sources", .texts(\.reports.sources, check: SettingsChecks.reportSource),
        "The sources that are reported: playlist, upnp-av, radio (the same as radio = true), receiver (another room's sound, which that "
          + "room reports itself if it is a Vireo with reports)."),
      key(
        "reports", "timeout", .duration(\.reports.timeout, .seconds(1) ... .seconds(120)),
        "How long a server may take to answer."),
      key(
        "reports", "offline", .boolean(\.reports.offline),
        "Whether reports are kept in the state until their server has taken them, 5,000 or 4 MB for each server. If not, a few are "
          + "kept in memory."),
      key(
        "reports", "site", .text(\.reports.site, check: SettingsChecks.reportText),
        "What you call the place, for a webhook.", fallback: "nothing is said of it"),
    ] + listenBrainz + webhook + lastFM

  private static let listenBrainz: [SettingKey] = [
    key(
      "reports.listenbrainz", "url", .text(\.reports.listenBrainz.url, check: SettingsChecks.reportURL),
      "The base of the API, without /1 (for Maloja \"http://HOST:42010/apis/listenbrainz\"). http:// is only for hosts of a "
        + "connected network."),
    key(
      "reports.listenbrainz", "token-file",
      .text(\.reports.listenBrainz.tokenFile, check: SettingsChecks.secretFile),
      "The file with your token, or the name of a systemd credential.", fallback: "nothing is reported there"),
  ]

  private static let webhook: [SettingKey] = [
    key(
      "reports.webhook", "url", .text(\.reports.webhook.url, check: SettingsChecks.reportURL),
      "Where events are posted as JSON, one at a time. http:// is only for hosts of a connected network.",
      fallback: "nothing is reported there"),
    key(
      "reports.webhook", "token-file", .text(\.reports.webhook.tokenFile, check: SettingsChecks.secretFile),
      "The file with a token to send along (Authorization: Bearer), or the name of a systemd credential.",
      fallback: "no token is sent"),
    key(
      "reports.webhook", "interval", .duration(\.reports.webhook.interval, .zero ... .seconds(3600)),
      "How often it is told that something is still heard; 0s for the beginning and the end only."),
    key(
      "reports.webhook", "attributes", .attributes(\.reports.webhook.attributes),
      "Names and texts of yours that are sent with each event.", fallback: "none"),
  ]

  private static let lastFM: [SettingKey] = [
    key(
      "reports.lastfm", "url", .text(\.reports.lastFM.url, check: SettingsChecks.reportURL),
      "The address of the API."),
    key(
      "reports.lastfm", "api-key", .text(\.reports.lastFM.apiKey, check: SettingsChecks.apiKey),
      "The key of an API account of yours.", fallback: "nothing is reported there"),
    key(
      "reports.lastfm", "secret-file", .text(\.reports.lastFM.secretFile, check: SettingsChecks.secretFile),
      "The file with the secret that belongs to it, or the name of a systemd credential.",
      fallback: "none, so nothing can be reported there"),
    key(
      "reports.lastfm", "session-file", .text(\.reports.lastFM.sessionFile, check: SettingsChecks.secretFile),
      "The file that vireoctl reports login has written, or the name of a systemd credential.",
      fallback: "none, so nothing can be reported there"),
  ]
}
