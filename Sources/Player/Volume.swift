/// The channel that a volume or mute applies to (UPnP RenderingControl:1, Channel).
public enum VolumeChannel: Sendable, Hashable, CaseIterable {
  /// Both sides.
  case master
  /// Left front: an attenuation of this side in addition to the master's.
  case left
  /// Right front.
  case right
}

/// The player's single volume.
///
/// Each channel's level is stored only in 1/256 dB; the step is computed. Both a step and a decibel value
/// read back as they were set.
public struct Volume: Sendable, Hashable {
  /// One channel: its level in 1/256 dB and whether it is muted; trim and offset in 1/1024 dB, for left and
  /// right only.
  struct Channel: Sendable, Hashable {
    var decibels = 0
    var isMuted = false
    var trim = 0
    var offset = 0
  }

  /// Range of a side's trim, a permanent correction, in 1/1024 dB.
  public static let trimRange = -12 * 1024...12 * 1024
  /// Range of a side's offset in 1/1024 dB.
  public static let offsetRange = -15 * 1024...15 * 1024

  public private(set) var curve: VolumeCurve
  /// Maximum step of the master channel, 0...100.
  public private(set) var limit: Int
  private var master = Channel()
  private var left = Channel()
  private var right = Channel()

  /// A volume with the master at `step` (limited), left and right full, nothing muted.
  public init(curve: VolumeCurve = .cubic, limit: Int = 100, step: Int = 100) {
    self.curve = curve
    self.limit = min(max(limit, 0), 100)
    setStep(step, of: .master)
  }

  /// Lowest (silence) and highest decibel value, in 1/256 dB.
  public var decibelRange: ClosedRange<Int> { curve.decibelRange }

  /// The channel's step, 0...100.
  public func step(of channel: VolumeChannel) -> Int { curve.step(decibels: self[channel].decibels) }
  /// The channel's level in 1/256 dB, within ``decibelRange``.
  public func decibels(of channel: VolumeChannel) -> Int { self[channel].decibels }
  public func isMuted(_ channel: VolumeChannel) -> Bool { self[channel].isMuted }

  /// The linear gains, 0...1, that result from all levels, mutes, trims and offsets. Trim and offset can't
  /// raise a side above 1.
  public var gain: (left: Double, right: Double) {
    (effectiveGain(of: left), effectiveGain(of: right))
  }

  private func effectiveGain(of side: Channel) -> Double {
    guard !master.isMuted, !side.isMuted else { return 0 }
    let gain = curve.gain(decibels: master.decibels) * curve.gain(decibels: side.decibels)
    return min(gain * curve.factor(binaryMilliDecibels: side.trim + side.offset), 1)
  }

  /// The channel's trim in 1/1024 dB, within ``trimRange``; 0 for the master.
  public func trim(of channel: VolumeChannel) -> Int { self[channel].trim }
  /// The channel's offset in 1/1024 dB, within ``offsetRange``; 0 for the master.
  public func offset(of channel: VolumeChannel) -> Int { self[channel].offset }

  mutating func setTrim(_ trim: Int, of channel: VolumeChannel) {
    guard channel != .master else { return }
    self[channel].trim = min(max(trim, Self.trimRange.lowerBound), Self.trimRange.upperBound)
  }

  mutating func setOffset(_ offset: Int, of channel: VolumeChannel) {
    guard channel != .master else { return }
    self[channel].offset = min(max(offset, Self.offsetRange.lowerBound), Self.offsetRange.upperBound)
  }

  mutating func setStep(_ step: Int, of channel: VolumeChannel) {
    setDecibels(curve.decibels(step: step), of: channel)
  }

  mutating func setDecibels(_ decibels: Int, of channel: VolumeChannel) {
    let ceiling = channel == .master ? curve.decibels(step: limit) : 0
    self[channel].decibels = min(max(decibels, decibelRange.lowerBound), ceiling)
  }

  mutating func setMute(_ isMuted: Bool, of channel: VolumeChannel) {
    self[channel].isMuted = isMuted
  }

  /// Applies another curve and limit. Loudness is preserved as far as range and limit allow; silence stays
  /// silence.
  mutating func configure(curve: VolumeCurve, limit: Int) {
    let levels = VolumeChannel.allCases.map { ($0, level(of: $0)) }
    self.curve = curve
    self.limit = min(max(limit, 0), 100)
    for (channel, level) in levels { setLevel(level, of: channel) }
  }

  /// Level in 1/256 dB, independent of the curve; nil is silence.
  func level(of channel: VolumeChannel) -> Int? {
    let decibels = self[channel].decibels
    return decibels > decibelRange.lowerBound ? decibels : nil
  }

  mutating func setLevel(_ level: Int?, of channel: VolumeChannel) {
    setDecibels(level ?? decibelRange.lowerBound, of: channel)
  }

  private subscript(channel: VolumeChannel) -> Channel {
    get {
      switch channel {
      case .master: master
      case .left: left
      case .right: right
      }
    }
    set {
      switch channel {
      case .master: master = newValue
      case .left: left = newValue
      case .right: right = newValue
      }
    }
  }
}
