/// The party.
extension SettingsSchema {
  static let party: [SettingKey] = [
    key(
      "party", "start", choice(\.party.start),
      "Whether a party begins with the daemon: not, or one where each request waits for its host (ask), or joins "
        + "the queue at once (add). Pages and vireoctl start one at any time."),
    key(
      "party", "hours", .integer(\.party.hours, 1...24, unit: "hours"),
      "How long a party lasts unless it is stopped.", reloadable: true),
    key(
      "party", "requests", .integer(\.party.requests, 1...100, unit: "songs"),
      "How many songs a guest may request at once.", reloadable: true),
    key(
      "party", "every", .duration(\.party.every, .seconds(1) ... .seconds(3600)),
      "How long it takes until a guest may request one more.", reloadable: true),
    key(
      "party", "votes", .boolean(\.party.votes),
      "Whether guests vote for what others have requested.", reloadable: true),
  ]
}
