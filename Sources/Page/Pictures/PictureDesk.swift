import HTTP
import NIOCore

/// Who waits for which picture, and what is fetched now. A pure value.
///
/// A picture is fetched once for all who ask for it meanwhile; one that couldn't be fetched isn't tried again for a minute.
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
  static let failureSeconds: Int64 = 60
  static let mostFailures = 256

  private struct Job: Sendable {
    var host: String
    var readers: [RequestID]
    var isRunning = false
  }

  private var jobs: [String: Job] = [:]
  /// The keys of ``jobs``, in the order of asking.
  private var order: [String] = []
  /// Until when a picture counts as missing.
  private var failures: [String: NIODeadline] = [:]

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
    jobs[key] = Job(host: host, readers: [reader])
    order.append(key)
    guard mayStart(host) else { return .wait }
    jobs[key]?.isRunning = true
    return .start
  }

  private func mayStart(_ host: String) -> Bool {
    let running = jobs.values.filter(\.isRunning)
    return running.count < Self.mostRunning
      && running.reduce(0) { $0 + ($1.host == host ? 1 : 0) } < Self.mostRunningPerHost
  }

  /// A fetch has ended.
  ///
  /// - Returns: who waits for it.
  mutating func finished(_ key: String, hasFailed: Bool, now: NIODeadline) -> [RequestID] {
    let readers = remove(key)
    if hasFailed {
      if failures.count >= Self.mostFailures { failures = failures.filter { now < $0.value } }
      if failures.count >= Self.mostFailures { failures = [:] }
      failures[key] = now + .seconds(Self.failureSeconds)
    }
    return readers
  }

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
      guard let job = jobs[key], !job.isRunning, mayStart(job.host) else { continue }
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
