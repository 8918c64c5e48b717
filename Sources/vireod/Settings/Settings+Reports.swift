import Listening

extension Settings {
  /// `[reports]`, and the sections below it: what was heard, told to servers.
  struct Reports: Sendable, Equatable {
    var enabled = false
    /// Whether songs of stations are reported; the same as the radio among ``sources``.
    var radio = false
    /// Raw values of ``ReportSource``.
    var sources = [ReportSource.playlist, .upnpAV].map(\.rawValue)
    /// How long a server may take.
    var timeout = Duration.seconds(10)
    /// Whether reports are kept in the state until they have arrived.
    var offline = true
    var site = ""
    var listenBrainz = ListenBrainzServer()
    var webhook = WebhookServer()
    var lastFM = LastFMServer()
  }

  /// `[reports.listenbrainz]`
  struct ListenBrainzServer: Sendable, Equatable {
    /// The base of the API. Empty: ListenBrainz's own.
    var url = ListenBrainz.address
    /// See ``SecretFile``. Empty: nothing is reported there.
    var tokenFile = ""
  }

  /// `[reports.webhook]`
  struct WebhookServer: Sendable, Equatable {
    /// Empty: nothing is reported there.
    var url = ""
    /// Empty: there is no token.
    var tokenFile = ""
    /// How often it is told what is heard; zero for only the beginning and the end.
    var interval = Duration.seconds(60)
    var attributes: [Attribute] = []
  }

  /// `[reports.lastfm]`
  struct LastFMServer: Sendable, Equatable {
    /// Empty: Last.fm's own.
    var url = LastFM.address
    /// Empty: nothing is reported there.
    var apiKey = ""
    var secretFile = ""
    var sessionFile = ""
  }

  /// A name and a text that the owner has chosen.
  struct Attribute: Sendable, Equatable {
    var name: String
    var value: String
  }
}

extension Settings.Reports {
  /// Where reports go: the servers that are configured.
  var sinks: [ReportSink] {
    ReportSink.allCases.filter { sink in
      switch sink {
      case .listenBrainz: !listenBrainz.tokenFile.isEmpty
      case .webhook: !webhook.url.isEmpty
      case .lastFM: !lastFM.apiKey.isEmpty
      }
    }
  }

  /// What is reported.
  var rules: ListeningWatch.Rules {
    ListeningWatch.Rules(
      sources: Set(sources.compactMap { ReportSource(rawValue: $0) }), hasStations: radio,
      hearing: sinks.compactMap(\.rule), interval: sinks.contains(.webhook) ? webhook.interval : nil)
  }

  /// The address of each server.
  func url(of sink: ReportSink) -> String {
    switch sink {
    case .listenBrainz: listenBrainz.url.isEmpty ? ListenBrainz.address : listenBrainz.url
    case .webhook: webhook.url
    case .lastFM: lastFM.url.isEmpty ? LastFM.address : lastFM.url
    }
  }
}
