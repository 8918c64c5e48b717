import Listening
import ReportsIO

/// Turns reports into calls of their servers, and answers into verdicts. Reads tokens from their files at each call, so a new one
/// is taken at once; keeps none.
struct ReportOffice: Sendable {
  let settings: Settings.Reports
  let sender: ReportSender

  /// A call, or why it can't be made, in plain words.
  func request(_ reports: [DatedReport], for sink: ReportSink) -> Result<ReportRequest, SecretProblem> {
    let url = settings.url(of: sink)
    switch sink {
    case .listenBrainz:
      return secret(settings.listenBrainz.tokenFile).map {
        ListenBrainz.request(reports, url: url, token: $0, sender: sender)
      }
    case .webhook:
      guard let report = reports.first else {
        return .failure(SecretProblem(text: "there is nothing to send"))
      }
      let file = settings.webhook.tokenFile
      let token: Result<String?, SecretProblem> = file.isEmpty ? .success(nil) : secret(file).map { $0 }
      return token.map { token in
        Webhook.request(
          report, url: url, token: token, attributes: settings.webhook.attributes.map { ($0.name, $0.value) },
          sender: sender)
      }
    case .lastFM:
      return secret(settings.lastFM.secretFile).flatMap { secret in
        self.secret(settings.lastFM.sessionFile).map { session in
          LastFM.request(
            reports,
            account: LastFM.Account(url: url, key: settings.lastFM.apiKey, secret: secret, session: session))
        }
      }
    }
  }

  struct SecretProblem: Error, Sendable, Equatable {
    var text: String
  }

  private func secret(_ file: String) -> Result<String, SecretProblem> {
    if file.isEmpty { return .failure(SecretProblem(text: "no file with its token is configured")) }
    return SecretFile.read(file).mapError { SecretProblem(text: "\(file) can't be used: \($0.reason)") }
  }

  func verdict(_ answer: ReportAnswer, of sink: ReportSink) -> ReportVerdict {
    switch sink {
    case .listenBrainz: ListenBrainz.verdict(answer)
    case .webhook: Webhook.verdict(answer)
    case .lastFM: LastFM.verdict(answer)
    }
  }

  func verdict(_ failure: ReportCaller.Failure, of sink: ReportSink) -> ReportVerdict {
    switch failure {
    case .noLibrary: .failed("libcurl isn't installed (libcurl4)")
    case .notOnLink:
      .failed(
        "its address is http:// and leads to another network; write https://, since anybody on the way could read it"
      )
    case .trouble(let text): .failed(text)
    }
  }
}
