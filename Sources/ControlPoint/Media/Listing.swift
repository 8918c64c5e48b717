import UPnP

/// The limits of one listing.
public struct ListingLimits: Sendable, Hashable {
  public var objects = 20_000
  public var requests = 1000
  /// Objects asked for at once; 50 are enough for a screen.
  public var page = 200
  /// The time for all pages together.
  public var time = Duration.seconds(300)

  public init() {}
}

/// Why a listing ended.
public enum ListingEnd: Sendable, Hashable {
  /// The server has no more.
  case complete
  /// The server has no more, although it said that it had, or refused to go on.
  case short
  /// The server sends the same again and again.
  case repeated
  /// The limit of objects, requests or time is reached.
  case limit
}

/// Lists a container or a search in pages, and ends whatever the server says.
///
/// A pure value: ``next`` says what to do, and ``answered(_:)`` or ``failed(_:)`` what came of it. Only what a server sends
/// counts; its numbers are hints. An object that comes again on a later page is left out.
public struct Listing: Sendable {
  /// The arguments of a request that change from one to the next.
  public struct Request: Sendable, Hashable {
    public var start: Int
    public var count: Int
    public var filter: String
    public var sort: String
  }

  public enum Next: Sendable, Hashable {
    case ask(Request)
    case end(ListingEnd)
    case failed(ActionFailure)
  }

  public private(set) var next: Next
  /// What the server said last; nil until it says more than 0, and when it proved wrong.
  public private(set) var total: Int?
  /// False if the server refused to sort.
  public private(set) var isSorted: Bool
  /// True if the server's content changed meanwhile, so that something may be missing.
  public private(set) var hasChanged = false
  public private(set) var count = 0

  private let limits: ListingLimits
  /// The place of the first object that is listed.
  private let first: Int
  private var seen: Set<String> = []
  private var requests = 0
  /// Objects that can't be read, and were skipped.
  private var skipped = 0
  private var totalIsWrong = false
  /// The most to ask for; less than the limit after a page that was too long.
  private var largestPage: Int
  private var updateID: UInt32?

  /// - Parameters:
  ///   - filter: which properties to send; strict servers leave out `res` unless it is named or everything is asked for.
  ///   - sort: `+upnp:originalTrackNumber,+dc:title`; empty for the server's order.
  ///   - first: the place of the first object to list.
  public init(
    sort: String = "", filter: String = "*", from first: Int = 0, limits: ListingLimits = ListingLimits()
  ) {
    self.limits = limits
    self.first = first
    isSorted = !sort.isEmpty
    largestPage = max(1, limits.page)
    next = .ask(Request(start: first, count: largestPage, filter: filter, sort: sort))
  }

  /// Takes a page, and returns those objects that weren't on an earlier one.
  public mutating func answered(_ page: BrowsePage) -> [MediaObject] {
    guard case .ask(var request) = next else { return [] }
    requests += 1
    hasChanged = hasChanged || (updateID.map { $0 != page.updateID } ?? false)
    updateID = page.updateID
    guard !page.objects.isEmpty else {
      if page.numberReturned > 0 {
        skipUnreadable()
      } else {
        end(first + count < (total ?? 0) ? .short : .complete)
      }
      return []
    }
    var new = page.objects.filter { !seen.contains($0.identity) }
    let isFull = new.count > limits.objects - count
    if isFull { new.removeLast(new.count - (limits.objects - count)) }
    for object in new { seen.insert(object.identity) }
    count += new.count
    learn(page, asked: request.count)
    if isFull || count >= limits.objects {
      end(total == first + count ? .complete : .limit)
    } else if new.isEmpty {
      end(first + count + skipped < (total ?? 0) ? .repeated : .complete)
    } else if let total, first + count + skipped >= total {
      end(.complete)
    } else {
      request.start = first + count + skipped
      request.count = min(largestPage, 2 * request.count)
      ask(request)
    }
    return new
  }

  /// Takes a failed request: asks differently, or gives up.
  public mutating func failed(_ failure: ActionFailure) {
    guard case .ask(var request) = next else { return }
    requests += 1
    switch failure {
    case .tooLarge, .malformed: skipUnreadable(failure)
    case .timeout, .unreachable, .cancelled: next = .failed(failure)
    case .fault, .status:
      let code = failure.code
      if count + skipped > 0 {
        end(first + count + skipped < (total ?? 0) ? .short : .complete)
      } else if code == 701 || code == 710 {
        next = .failed(failure)
      } else if !request.sort.isEmpty {
        request.sort = ""
        isSorted = false
        ask(request)
      } else if request.filter != "*" {
        request.filter = "*"
        ask(request)
      } else if code == 720 {
        // Some servers fail so on an empty folder.
        end(.complete)
      } else {
        next = .failed(failure)
      }
    }
  }

  /// Ends the listing because its time is over.
  public mutating func stop() {
    if case .ask = next { end(.limit) }
  }

  /// Keeps the server's total unless it can't be right.
  private mutating func learn(_ page: BrowsePage, asked: Int) {
    if first + count > page.totalMatches, page.totalMatches > 0 { totalIsWrong = true }
    guard !totalIsWrong else {
      total = nil
      return
    }
    // Some servers say how many they sent.
    let isPageSize = page.totalMatches == page.objects.count && page.objects.count >= asked
    if page.totalMatches > 0, !isPageSize || page.totalMatches > first + count { total = page.totalMatches }
  }

  /// Asks for less, and goes past a single object that can't be read.
  private mutating func skipUnreadable(_ failure: ActionFailure? = nil) {
    guard case .ask(var request) = next else { return }
    if request.count > 1 {
      if failure == .tooLarge { largestPage = request.count / 2 }
      request.count = max(1, request.count / 8)
    } else if skipped < Self.maximumSkipped {
      skipped += 1
      request.start = first + count + skipped
    } else if let failure, count == 0 {
      next = .failed(failure)
      return
    } else {
      return end(.short)
    }
    ask(request)
  }

  private static let maximumSkipped = 8

  private mutating func ask(_ request: Request) {
    if requests < limits.requests { next = .ask(request) } else { end(.limit) }
  }

  private mutating func end(_ end: ListingEnd) { next = .end(end) }
}

extension ActionFailure {
  /// The code of the fault; nil for anything else.
  public var code: Int? {
    if case .fault(let error) = self { error.code } else { nil }
  }

  /// True if the device answered, so that it may answer something else.
  var isAnswer: Bool {
    switch self {
    case .fault, .status, .malformed, .tooLarge: true
    case .timeout, .unreachable, .cancelled: false
    }
  }
}
