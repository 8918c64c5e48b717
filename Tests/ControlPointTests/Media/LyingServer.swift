import UPnP

@testable import ControlPoint

/// A media server without a network that lies in its numbers, or sends other things than it was asked for.
struct LyingServer {
  /// Faults of servers in the field.
  enum Lie: CaseIterable {
    case totalZero, totalZeroAtFirst, totalIsPage, totalTooSmall, totalTooLarge, returnedZero, returnedTooMany
    case sendsAtMostTen, sendsMoreThanAsked, startRoundedDown, ignoresStart, repeatsLastPage, neverEnds
    case updateIDCounts, refusesSort, failsBeyondEnd, tooLargePages, oneUnreadable, answersFewer, onePoisoned
  }

  static let page = 40

  var ids: [String]
  var lies: Set<Lie>
  private var requests = 0

  init(count: Int, lies: Set<Lie>) {
    ids = (0..<count).map { "id\($0)" }
    self.lies = lies
  }

  static func object(_ id: String) -> MediaObject {
    MediaObject(id: id, isContainer: false, title: id, mediaClass: MediaClass("object.item.audioItem"))
  }

  mutating func answer(_ request: Listing.Request) -> Result<BrowsePage, ActionFailure> {
    requests += 1
    if lies.contains(.refusesSort), !request.sort.isEmpty {
      return .failure(.fault(UPnPError(code: 709, description: "")))
    }
    if lies.contains(.tooLargePages), request.count > 20 { return .failure(.tooLarge) }
    var (start, count) = (request.start, request.count)
    if lies.contains(.ignoresStart) { (start, count) = (0, ids.count) }
    if lies.contains(.startRoundedDown) { start -= start % Self.page }
    if lies.contains(.sendsAtMostTen) { count = min(count, 10 + request.start - start) }
    if lies.contains(.sendsMoreThanAsked) { count *= 2 }
    if lies.contains(.answersFewer) { count = max(1 + request.start - start, count / 3) }
    if start >= ids.count {
      if lies.contains(.failsBeyondEnd) { return .failure(.fault(UPnPError(code: 720, description: ""))) }
      if lies.contains(.repeatsLastPage) { start = max(0, ids.count - 5) }
    }
    var sent = Array(ids.dropFirst(start).prefix(count))
    if lies.contains(.neverEnds) { sent = (0..<count).map { "new\(requests)-\($0)" } }
    if lies.contains(.onePoisoned), sent.contains("id7") { return .failure(.malformed) }
    var objects = sent.map(Self.object)
    if lies.contains(.oneUnreadable) { objects.removeAll { $0.id == "id7" } }
    let returned =
      lies.contains(.returnedZero) ? 0 : lies.contains(.returnedTooMany) ? sent.count + 17 : sent.count
    return .success(
      BrowsePage(
        objects: objects, numberReturned: sent.isEmpty ? 0 : returned, totalMatches: total(sent.count),
        updateID: lies.contains(.updateIDCounts) ? UInt32(requests) : 1))
  }

  private func total(_ sent: Int) -> Int {
    if lies.contains(.totalZero) || (lies.contains(.totalZeroAtFirst) && requests == 1) { return 0 }
    if lies.contains(.totalIsPage) { return sent }
    if lies.contains(.totalTooSmall) { return max(1, min(sent, ids.count) - 1) }
    if lies.contains(.totalTooLarge) { return ids.count * 3 + 1 }
    return ids.count
  }
}
