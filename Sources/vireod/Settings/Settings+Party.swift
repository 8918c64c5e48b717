import Page
import Party

extension Settings {
  /// `[party]`: requests of guests.
  struct Party: Sendable, Equatable {
    /// Whether a party begins with the daemon.
    enum Start: String, Sendable, CaseIterable { case off, ask, add }

    var start = Start.off
    /// How long a party lasts, in hours.
    var hours = 8
    /// How many songs a guest may request at once.
    var requests = PartyRules().requests
    /// How long it takes until a guest may request one more.
    var every = PartyRules().every
    var votes = PartyRules().hasVotes
  }
}

extension Settings.Party {
  /// The mode of the party that begins with the daemon; nil for none.
  var mode: PartyMode? {
    switch start {
    case .off: nil
    case .ask: .ask
    case .add: .add
    }
  }

  var deskSettings: PartyDesk.Settings {
    var settings = PartyDesk.Settings()
    settings.length = .seconds(hours * 3600)
    settings.rules.requests = requests
    settings.rules.every = every
    settings.rules.hasVotes = votes
    return settings
  }
}
