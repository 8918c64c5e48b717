/// What the clocks say at one moment.
public struct ClockReading: Sendable, Hashable {
  /// The time of day, in milliseconds since 1970 (UTC), right or wrong.
  public var date: Int64
  /// How long ago the machine was started, its sleep included.
  public var sinceBoot: Duration
  /// Whether the kernel says that the clock is set: it is kept in step with a server.
  public var isSaidToBeSet: Bool

  public init(date: Int64, sinceBoot: Duration, isSaidToBeSet: Bool) {
    self.date = date
    self.sinceBoot = sinceBoot
    self.isSaidToBeSet = isSaidToBeSet
  }
}

/// Says whether the clock is set, and gives dates to what was heard before it was.
///
/// A machine without a clock of its own begins with a time of the past. The clock counts as set when the kernel says so, or
/// when it is later than the build of this program and than the last time that the state knows. Whoever sets it while we run
/// knows better than the state, so a clock that is set back is believed, too.
public struct ListenDating: Sendable, Equatable {
  /// A change of less is no setting of the clock: it is kept in step by small steps, and read with a delay.
  static let smallestStep: Int64 = 2000

  /// This run of the machine.
  public let boot: String
  /// Milliseconds since 1970, as all dates here.
  private let build: Int64
  /// The last time that the state knows.
  public private(set) var known: Int64
  /// The date of the machine's start as dates are counted from it; nil while the clock isn't set.
  public private(set) var offset: Int64?
  /// The same by the last reading, whether the clock was set or not.
  private var read: Int64?
  /// Whether somebody has set the clock while we ran.
  private var isBelieved = false

  /// - Parameters:
  ///   - boot: names this run of the machine.
  ///   - build: when this program was built.
  ///   - known: the last time that the state knows; 0 for none.
  public init(boot: String, build: Int64, known: Int64) {
    self.boot = boot
    self.build = build
    self.known = known
  }

  /// Whether the clock is set, by the last reading.
  public var isSet: Bool { offset != nil }

  /// Takes a reading. Returns true when what was heard in this run of the machine has another date now than before, or has one
  /// at last.
  public mutating func take(_ reading: ClockReading) -> Bool {
    let new = reading.date - reading.sinceBoot.milliseconds
    let step = read.map { new - $0 } ?? 0
    let isStep = abs(step) > Self.smallestStep
    // Small steps add up, so they are measured from the last large one.
    if read == nil || isStep { read = new }
    let isPlausible =
      reading.date > build && (reading.date + Self.smallestStep >= known || isStep || isBelieved)
    guard reading.isSaidToBeSet || isPlausible else {
      offset = nil
      isBelieved = false
      return false
    }
    if isStep { isBelieved = true }
    known = reading.date
    guard let before = offset, abs(new - before) <= Self.smallestStep else {
      offset = new
      return true
    }
    return false
  }

  /// When something of this run of the machine was, or will be; nil while nobody knows.
  public func date(sinceBoot: Duration) -> Int64? { offset.map { $0 + sinceBoot.milliseconds } }

  /// When a row was written about; nil if nobody knows yet, or ever.
  public func date(of place: ReportPlace) -> Int64? {
    guard place.boot == boot, let offset else { return place.date }
    return offset + place.at
  }
}

/// When something was heard, as it is kept: the time of the machine, and the date if that is known.
public struct ReportPlace: Sendable, Hashable {
  /// Names the run of the machine.
  public var boot: String
  /// Milliseconds since its start.
  public var at: Int64
  /// Milliseconds since 1970; nil while nobody knows.
  public var date: Int64?

  public init(boot: String, at: Int64, date: Int64?) {
    self.boot = boot
    self.at = at
    self.date = date
  }
}
