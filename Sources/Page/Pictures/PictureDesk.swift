import HTTP
import NIOCore

/// Who waits for which picture, and what is fetched now. A pure value.
///
/// A picture is fetched once for all who ask for it meanwhile; one that couldn't be fetched isn't tried again for a minute.
/// Pictures are passed on whole, so all of them together are bounded: those that are being fetched, and those that their
/// readers haven't taken yet. A fetch may first bring ``usualBytes``; what is larger is fetched anew when there is room for
/// ``Picture/largest``.
struct PictureDesk: Sendable {
  enum Asked: Sendable, Hashable {
    /// Fetch it now; the reader waits.
    case start
    /// The reader waits.
    case wait
    /// It isn't there.
    case refuse
    /// Too many pictures wait.
    case busy
  }

  static let mostRunning = 4
  static let mostRunningPerHost = 2
  static let mostWaiting = 128
  /// The limit of the first fetch.
  static let usualBytes = 512 << 10
  /// All pictures together: one of the largest, and three usual ones.
  static let mostBytes = 6 << 20
  static let failureSeconds: Int64 = 60
  static let mostFailures = 256

  private struct Job: Sendable {
    var host: String
    var readers: [RequestID]
    var isRunning = false
    /// The most bytes that it may bring.
    var limit = PictureDesk.usualBytes
  }

  private var jobs: [String: Job] = [:]
  /// The keys of ``jobs``, in the order of asking.
  private var order: [String] = []
  /// Until when a picture counts as missing.
  private var failures: [String: NIODeadline] = [:]
  /// Bytes of pictures that their readers haven't taken.
  private var untaken = 0

  var isEmpty: Bool { jobs.isEmpty }

  mutating func ask(_ key: String, host: String, reader: RequestID, now: NIODeadline) -> Asked {
    if let until = failures[key] {
      if now < until { return .refuse }
      failures[key] = nil
    }
    guard jobs.values.reduce(0, { $0 + $1.readers.count }) < Self.mostWaiting else { return .busy }
    if jobs[key] != nil {
      jobs[key]?.readers.append(reader)
      return .wait
    }
    let job = Job(host: host, readers: [reader])
    let starts = mayStart(job)
    jobs[key] = job
    order.append(key)
    guard starts else { return .wait }
    jobs[key]?.isRunning = true
    return .start
  }

  private func mayStart(_ job: Job) -> Bool {
    let running = jobs.values.filter(\.isRunning)
    return running.count < Self.mostRunning
      && running.count { $0.host == job.host } < Self.mostRunningPerHost
      && running.reduce(untaken + job.limit) { $0 + $1.limit } <= Self.mostBytes
  }

  /// The most bytes that a fetch may bring.
  func limit(of key: String) -> Int { jobs[key]?.limit ?? Self.usualBytes }

  /// A fetch has ended at its limit; it waits for more room.
  mutating func exceeded(_ key: String) {
    jobs[key]?.isRunning = false
    jobs[key]?.limit = Picture.largest
  }

  /// A fetch has ended.
  ///
  /// - Parameter bytes: what it has brought, until ``taken(_:)``; nil for nothing.
  /// - Returns: who waits for it.
  mutating func finished(_ key: String, bytes: Int?, now: NIODeadline) -> [RequestID] {
    let readers = remove(key)
    if let bytes {
      untaken += bytes
    } else {
      if failures.count >= Self.mostFailures { failures = failures.filter { now < $0.value } }
      if failures.count >= Self.mostFailures { failures = [:] }
      failures[key] = now + .seconds(Self.failureSeconds)
    }
    return readers
  }

  /// All readers of a picture have taken it, or have gone.
  mutating func taken(_ bytes: Int) { untaken -= bytes }

  /// A reader has gone.
  ///
  /// - Returns: the fetch that nobody waits for any more and that runs: it is to be given up.
  mutating func left(_ reader: RequestID) -> String? {
    for (key, job) in jobs where job.readers.contains(reader) {
      jobs[key]?.readers.removeAll { $0 == reader }
      guard job.readers.count == 1 else { return nil }
      _ = remove(key)
      return job.isRunning ? key : nil
    }
    return nil
  }

  /// The fetches that may start now; they count as running.
  mutating func next() -> [String] {
    var started: [String] = []
    for key in order {
      guard let job = jobs[key], !job.isRunning, mayStart(job) else { continue }
      jobs[key]?.isRunning = true
      started.append(key)
    }
    return started
  }

  private mutating func remove(_ key: String) -> [RequestID] {
    order.removeAll { $0 == key }
    return jobs.removeValue(forKey: key)?.readers ?? []
  }
}
