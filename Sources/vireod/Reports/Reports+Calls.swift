import Listening
import NIOCore
import ReportsIO
import Synchronization
import Threads

/// Calls of the servers.
extension Reports {
  /// What a call brought.
  private struct Outcome: Sendable {
    /// Nil: nothing of it is kept any more.
    var verdict: ReportVerdict?
    var records: [ReportRecord]
  }

  /// Makes the calls that are due.
  func callServers() {
    for order in desk.orders(at: HostClock.upTime.awake) { call(order) }
    arm()
  }

  private func call(_ order: ReportDesk.Order) {
    underway.add(1, ordering: .relaxed)
    let now = dating.date(sinceBoot: HostClock.upTime.sinceBoot)
    threads[order.sink]?.perform { [keeper, office, caller, logger, dating, eventLoop] in
      let reports =
        order.live.map { [DatedReport($0, date: now)] }
        ?? keeper.reports(order.seqs).compactMap { row in
          ReportRecord(row.kind, body: row.body).map { DatedReport($0, date: dating.date(of: row.place)) }
        }
      var outcome = Outcome(verdict: nil, records: reports.map(\.record))
      if !reports.isEmpty {
        switch office.request(reports, for: order.sink) {
        case .failure(let problem): outcome.verdict = .failed(problem.text)
        case .success(let request):
          logger.debug("to \(order.sink.rawValue): \(request.shown)")
          switch caller.post(request) {
          case .failure(let failure): outcome.verdict = office.verdict(failure, of: order.sink)
          case .success(let answer):
            outcome.verdict = office.verdict(answer, of: order.sink)
            logger.debug("\(order.sink.rawValue) answers \(answer.status)")
          }
        }
      }
      eventLoop.execute { [outcome] in self.assumeIsolated { $0.ended(order, outcome) } }
    }
  }

  private func ended(_ order: ReportDesk.Order, _ outcome: Outcome) {
    underway.subtract(1, ordering: .relaxed)
    let words = desk.ended(
      order, outcome.verdict, records: outcome.records, at: HostClock.upTime.awake, using: &random)
    for word in words { say(word) }
    if case .failed(let text)? = outcome.verdict { logger.debug("\(order.sink.rawValue): \(text)") }
    keep(desk.takeDeletions())
    callServers()
  }

  private func say(_ word: ReportDesk.Word) {
    switch word {
    case .fails(let sink, let text):
      logger.warning(
        "\(sink.rawValue) can't be reached: \(text). \(kept) it is tried again, less and less often up to once an hour"
      )
    case .refused(let sink, .token):
      logger.warning(
        "\(sink.rawValue) refuses the token, so nothing is sent there. Write the right one to the file, and reload: \(hint(sink))"
      )
    case .refused(let sink, .gone):
      logger.warning("\(sink.rawValue) wants no more reports, so nothing is sent there until a reload")
    case .worksAgain(let sink): logger.notice("\(sink.rawValue) takes reports again")
    case .spoiled(let sink): logger.warning("\(sink.rawValue) doesn't take one of the reports; it is dropped")
    case .full(let sink):
      logger.warning("more reports wait for \(sink.rawValue) than are kept; the oldest are dropped")
    }
  }

  private var kept: String { settings.offline ? "Reports are kept, and" : "A few reports are kept, and" }

  private func hint(_ sink: ReportSink) -> String {
    sink == .lastFM ? "vireoctl reports login makes a new session" : "systemctl reload vireo"
  }

  /// Whether a call is under way.
  nonisolated var isCalling: Bool { underway.load(ordering: .relaxed) > 0 }
}
