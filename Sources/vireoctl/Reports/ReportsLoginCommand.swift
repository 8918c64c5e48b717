import ArgumentParser
import Listening
import ReportsIO

/// Lets a user of Last.fm, or of what speaks its language, allow the speaker's reports. Talks to no renderer: the session goes
/// to a file on this machine.
struct ReportsLoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Logs in to Last.fm, and writes the session for [reports.lastfm] session-file.",
    discussion: """
      Make an API account first; its key and secret are yours alone. The command prints the address of a page. Allow access there, \
      in any browser, within ten minutes. Run it on the speaker, as the user who may write the file.
      """)

  @Option(help: "The key of the API account, as in [reports.lastfm] api-key.") var apiKey: String
  @Option(help: "The file with its secret.") var secretFile: String
  @Option(help: "The file that the session is written to, readable by its owner only.") var sessionFile:
    String
  @Option(help: "The address of the API, if it isn't Last.fm's.") var url = LastFM.address
  @OptionGroup var options: GlobalOptions

  /// How often it is asked whether the user has allowed it.
  private static let interval = Duration.seconds(5)
  private static let patience = Duration.seconds(600)

  func validate() throws {
    guard url.lowercased().hasPrefix("http://") || url.lowercased().hasPrefix("https://") else {
      throw ValidationError("--url is an http:// or https:// address")
    }
  }

  func run() async throws {
    let output = Output(options)
    let secret = try SessionFile.read(secretFile)
    let account = LastFM.Account(url: url, key: apiKey, secret: secret)
    let caller = ReportCaller(userAgent: "vireoctl/\(Version.text)", timeout: .seconds(20))
    guard case .token(let token) = try login(LastFM.tokenRequest(account), caller) else {
      throw Failure(.nonsense, "the server gives no token")
    }
    // For whoever reads the output of a program, too: without it nothing goes on.
    try output.write("\(LastFM.page(token: token, account: account))\n")
    output.note("allow access on that page")
    let end = ContinuousClock.now + Self.patience
    while .now < end {
      try await Task.sleep(for: Self.interval)
      switch try login(LastFM.sessionRequest(token: token, account), caller) {
      case .session(let key, let user):
        try SessionFile.write(key, to: sessionFile)
        let who = user.isEmpty ? "" : " as \(user)"
        output.note("logged in\(who); systemctl restart vireo, or reload it, to use the new session")
        return
      case .token, .notYet, .refused: continue
      }
    }
    throw Failure(.timedOut, "access wasn't allowed within ten minutes")
  }

  /// - Throws: ``Failure`` if the server can't be asked, or refuses.
  private func login(_ request: ReportRequest, _ caller: ReportCaller) throws -> LastFM.LoginAnswer {
    switch caller.post(request) {
    case .failure(.noLibrary): throw Failure(.software, "libcurl isn't installed (libcurl4)")
    case .failure(.notOnLink):
      throw Failure(.refused, "http:// is only for servers of a connected network; use https://")
    case .failure(.trouble(let text)): throw Failure(.unreachable, "the server can't be reached: \(text)")
    case .success(let answer):
      let answer = LastFM.login(answer)
      if case .refused(let text) = answer { throw Failure(.refused, "the server refuses: \(text)") }
      return answer
    }
  }
}
