/// The page.
extension SettingsSchema {
  static let page: [SettingKey] = [
    key(
      "page", "enabled", .boolean(\.page.enabled),
      "Whether there are a page and an API; /status stays in any case.", reloadable: true),
    key(
      "page", "access", choice(\.page.access),
      "What pages and scripts may do: everything that control points can, only look, or nothing, as if enabled were false.",
      reloadable: true),
    key(
      "page", "streams", .integer(\.page.streams, 1...256, unit: ""),
      "Pages that are sent events at once; more of them ask every few seconds.", reloadable: true),
    key(
      "page", "frame-ancestors", .texts(\.page.frameAncestors, check: SettingsChecks.origin),
      "Origins, as \"https://home.example:8123\", whose pages may show this one in a frame, such as a dashboard. They can trick people into clicks.",
      fallback: "none", reloadable: true),
  ]
}
