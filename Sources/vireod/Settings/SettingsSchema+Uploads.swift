/// Songs from phones.
extension SettingsSchema {
  static let uploads: [SettingKey] = [
    key(
      "uploads", "enabled", .boolean(\.uploads.enabled),
      "Whether the page takes audio files from the phone that shows it, keeps them for a while and plays them. Everybody in a served "
        + "network may send some, up to the limit."),
    key(
      "uploads", "limit", .size(\.uploads.limit, 1_000_000...1_000_000_000_000),
      "How much is kept; beyond that, what was unused for longest goes, but nothing that is in the queue. 64 MB of the disk always stay "
        + "free.", reloadable: true),
    key(
      "uploads", "directory", .text(\.uploads.directory, check: SettingsChecks.absolutePath),
      "Where the files are. The unit of systemd lets vireod write to a directory of your own only if ReadWritePaths= names it.",
      fallback: "uploads in the cache directory of vireod: /var/cache/vireo, else ~/.cache/vireo"),
  ]
}
