import Listening
import Page
import Player

/// Answers what is asked for below `/api/v1/reports`.
struct ReportsPage: ReportsHandlers {
  let reports: Reports

  func getListeningReports(_ context: APIContext) -> Reply<API.ListeningReports> {
    .value(reports.assumeIsolated { $0.view })
  }

  func pauseReports(_ body: API.ReportsPause, _ context: APIContext) -> Reply<API.ListeningReports> {
    let isPaused = reports.assumeIsolated { $0.pause(body.for) }
    guard isPaused else {
      return .problem(
        .conflict("What plays names no album; pause the reports for an hour.", type: "no-album"))
    }
    return getListeningReports(context)
  }

  func resumeReports(_ context: APIContext) -> Reply<API.ListeningReports> {
    reports.assumeIsolated { reports in
      // What plays goes on being heard where there was no pause.
      if reports.pause == nil { reports.tryAgain() } else { reports.setPause(nil) }
    }
    return getListeningReports(context)
  }
}

extension Reports {
  /// Pauses; false if nobody can say for how long.
  fileprivate func pause(_ extent: API.ReportsPause.For) -> Bool {
    readClock()
    let reading = HostClock.reading
    switch extent {
    case .hour: setPause(ReportPause(for: .seconds(3600), from: reading, dating))
    case .today:
      let time = dating.isSet ? HostClock.untilMidnight(reading.date) : .seconds(86_400)
      setPause(ReportPause(for: time, from: reading, dating))
    case .album:
      guard let album else { return false }
      setPause(ReportPause(.album(album)))
    }
    return true
  }

  /// What is shown of the reports.
  fileprivate var view: API.ListeningReports {
    let now = HostClock.upTime
    return API.ListeningReports(
      enabled: true, clock: dating.isSet, pause: presentPause.map { shown($0, now) },
      servers: desk.status.map { shown($0, now) },
      sent: desk.sent.map { sent in
        let track = sent.record.track
        return API.SentReport(
          server: API.SentReport.Server(sent.sink), event: API.SentReport.Event(sent.record.kind),
          title: track.title, artist: track.artist, album: track.album, station: track.station,
          age: seconds(now.awake - sent.at))
      })
  }

  private func shown(_ pause: ReportPause, _ now: UpTime) -> API.PresentPause {
    switch pause.extent {
    case .album(let album): API.PresentPause(album: album)
    case .until(let end) where end.boot == dating.boot:
      API.PresentPause(seconds: seconds(.milliseconds(end.at) - now.sinceBoot))
    case .until(let end):
      API.PresentPause(
        seconds: end.date.map { date in
          seconds(.milliseconds(date - (dating.date(sinceBoot: now.sinceBoot) ?? date)))
        })
    }
  }

  private func shown(_ status: ReportDesk.Status, _ now: UpTime) -> API.ReportServer {
    var server = API.ReportServer(
      name: API.ReportServer.Name(status.sink), address: redacted(uri: settings.url(of: status.sink)),
      state: .ready, waiting: status.waiting, lost: status.lost, refused: status.spoiled)
    switch status.state {
    case .ready: break
    case .calling: server.state = .sending
    case .backingOff(let time, let text):
      server.state = .waiting
      server.detail = text
      server.next = seconds(time - now.awake)
    case .limited(let time):
      server.state = .waiting
      server.detail = "It takes no more calls for a while."
      server.next = seconds(time - now.awake)
    case .stopped(.token):
      server.state = .stopped
      server.detail =
        status.sink == .lastFM
        ? "It doesn't know the session; vireoctl reports login makes a new one."
        : "It doesn't know the token; write the right one to its file, and resume."
    case .stopped(.gone):
      server.state = .stopped
      server.detail = "It wants no more reports."
    }
    return server
  }

  private func seconds(_ time: Duration) -> Int { max(0, Int(clamping: time.components.seconds)) }
}

extension API.ReportServer.Name {
  fileprivate init(_ sink: ReportSink) {
    self =
      switch sink {
      case .listenBrainz: .listenbrainz
      case .webhook: .webhook
      case .lastFM: .lastfm
      }
  }
}

extension API.SentReport.Server {
  fileprivate init(_ sink: ReportSink) {
    self =
      switch sink {
      case .listenBrainz: .listenbrainz
      case .webhook: .webhook
      case .lastFM: .lastfm
      }
  }
}

extension API.SentReport.Event {
  fileprivate init(_ kind: ReportRecord.Kind) {
    self =
      switch kind {
      case .heard: .heard
      case .now: .now
      case .started: .started
      case .began: .began
      case .beat: .beat
      case .ended: .ended
      }
  }
}
