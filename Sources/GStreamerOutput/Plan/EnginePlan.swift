/// What the engine has to do at a later time. Pure: it takes the time, and says what is due.
///
/// Nothing is scheduled while nothing plays, but for releasing the device and for what was prepared.
struct EnginePlan {
  /// What can be due, in the order in which it is done.
  enum Due: CaseIterable {
    /// The next track starts to be heard.
    case joint
    /// The sound has faded out.
    case silence
    /// The next track is opened.
    case opening
    /// The sound device is released.
    case release
    /// The prepared track is dropped.
    case expiry
    /// The spare parts for the next track are made.
    case spare
    /// The sound device is retried.
    case retry
    /// The wait for the sound device ends.
    case patience
    /// The device refused and hasn't said why.
    case refusal
    /// The device has had no samples for a moment.
    case starvation
    /// The server is checked: does it still send?
    case watch
  }

  private static let beforeStarvation = Duration.milliseconds(150)
  /// The device's clock and the monotonic clock differ a little.
  private static let shortestWait = Duration.milliseconds(2)

  var joint: MonotonicTime?
  private(set) var release: MonotonicTime?
  private var starvation: MonotonicTime?
  var fade = FadeOut()
  var next = NextTrackPlan()
  var preparation = PreparationPlan()
  var device: DeviceWait
  var server: ServerWatch

  init(devicePatience: Duration, networkTimeout: Duration) {
    device = DeviceWait(patience: devicePatience)
    server = ServerWatch(patience: networkTimeout)
  }

  /// When the first thing is due.
  var earliest: MonotonicTime? {
    var first: MonotonicTime?
    for due in Due.allCases {
      guard let time = self[due] else { continue }
      first = min(time, first ?? time)
    }
    return first
  }

  /// When `due` is due.
  private(set) subscript(_ due: Due) -> MonotonicTime? {
    get {
      switch due {
      case .joint: joint
      case .silence: fade.deadline
      case .opening: next.deadline
      case .release: release
      case .expiry: preparation.expiry
      case .spare: preparation.spare
      case .retry: device.retry
      case .patience: device.patience
      case .refusal: device.refusal
      case .starvation: starvation
      case .watch: server.deadline
      }
    }
    set {
      switch due {
      case .joint: joint = newValue
      case .silence: fade.deadline = newValue
      case .opening: next.deadline = newValue
      case .release: release = newValue
      case .expiry: preparation.expiry = newValue
      case .spare: preparation.spare = newValue
      case .retry: device.retry = newValue
      case .patience: device.patience = newValue
      case .refusal: device.refusal = newValue
      case .starvation: starvation = newValue
      case .watch: server.deadline = newValue
      }
    }
  }

  /// Whether `due` is due; it isn't any more after that.
  mutating func take(_ due: Due, at now: MonotonicTime) -> Bool {
    guard let time = self[due], time <= now else { return false }
    self[due] = nil
    return true
  }

  // MARK: What happens

  /// The next track is heard after `wait`.
  ///
  /// - Parameter isRepeated: that was expected before, and isn't quite so yet.
  mutating func scheduleJoint(after wait: Duration, isRepeated: Bool = false, at now: MonotonicTime) {
    joint = now + (isRepeated ? max(wait, Self.shortestWait) : wait)
  }

  /// The device has had no samples since just now.
  mutating func runsDry(at now: MonotonicTime) { starvation = now + Self.beforeStarvation }

  /// The device has samples again, or no more follow.
  mutating func isFed() { starvation = nil }

  /// Nothing plays: the device is released after `pause`.
  mutating func scheduleRelease(after pause: Duration, at now: MonotonicTime) { release = now + pause }

  mutating func cancelRelease() { release = nil }

  /// The sound pauses, or stops for a seek: nothing is due by its position any more.
  mutating func soundStops() {
    joint = nil
    next.deadline = nil
  }

  /// All tracks are dropped.
  ///
  /// - Parameter fades: whether the last sound still fades out.
  mutating func tracksDropped(fades: Bool) {
    if !fades { fade = FadeOut() }
    next.drop()
    device.end()
    server.end()
    (joint, starvation) = (nil, nil)
  }

  /// The device is gone; the track waits for another. What follows it stays known.
  mutating func deviceLost() {
    fade = FadeOut()
    device.end()
    server.end()
    (preparation.expiry, preparation.spare) = (nil, nil)
    (release, starvation) = (nil, nil)
    soundStops()
  }
}
