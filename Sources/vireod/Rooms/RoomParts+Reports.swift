import Network
import Page
import Rooms
import RoomsIO

/// What the page is told of how well rooms keep step.
extension RoomParts: RoomReportSource {
  nonisolated func roomReports() -> RoomReportsView { assumeIsolated { $0.reports } }

  private var reports: RoomReportsView {
    var view = RoomReportsView()
    let now = RoomSender.now
    view.isSending = sender?.status.isSending ?? false
    view.listeners = (sender?.members ?? []).map { member in
      RoomReportsView.Listener(
        .v4(member.address),
        RoomReportsView.Figures(member.report, seen: Int((now - member.heard) / 1_000_000_000)))
    }
    view.listening = output.listening.report.map { RoomReportsView.Figures($0, seen: 0) }
    return view
  }
}

extension RoomReportsView.Figures {
  fileprivate init(_ report: RoomReport, seen: Int) {
    self.init(
      state: RoomReportsView.State(report.state), offset: Int(report.error), p95: Int(report.p95),
      rate: Int(report.rateCorrection), loss: Int(report.loss), buffer: Int(report.buffered),
      lost: Int(report.lost), repaired: Int(report.repaired), seen: max(0, seen))
  }
}

extension RoomReportsView.State {
  fileprivate init(_ state: RoomReport.State) {
    switch state {
    case .joining: self = .joining
    case .ready: self = .ready
    case .playing: self = .playing
    case .silent: self = .silent
    }
  }
}
