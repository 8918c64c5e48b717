/// Answers what is asked for below `/api/v1/reports` where nothing is reported of what was heard.
public struct NoListeningReports: ReportsHandlers {
  public init() {}

  public func getListeningReports(_ context: APIContext) -> Reply<API.ListeningReports> {
    .value(API.ListeningReports(enabled: false, clock: true, servers: [], sent: []))
  }

  public func pauseReports(_ body: API.ReportsPause, _ context: APIContext) -> Reply<API.ListeningReports> {
    .problem(.reportsAreOff)
  }

  public func resumeReports(_ context: APIContext) -> Reply<API.ListeningReports> {
    .problem(.reportsAreOff)
  }
}

extension Problem {
  fileprivate static var reportsAreOff: Problem {
    .conflict("Nothing is reported: see [reports] in the configuration.", type: "reports-off")
  }
}
