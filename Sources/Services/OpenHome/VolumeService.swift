import Player
import SCPD
import Text
import UPnP

/// Volume:4: the player's single volume, as in RenderingControl.
public struct VolumeService: ServiceProvider {
  let player: PlayerCore
  private let version: Int

  public init(player: PlayerCore, settings: OpenHomeSettings) {
    self.player = player
    version = settings.announced(4)
  }

  public var identity: ServiceIdentity { .openHome("Volume", version: version) }
  public var description: ServiceDescription { Volume4.description }
  public var scpd: (head: String, tail: String) { Volume4.scpd(version: version) }
  public var eventing: EventStyle { .properties }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    try Volume4.perform(&call, view: currentView, commands: VolumeCommands(player: player))
  }

  public func eventedValues() -> [EventedValue] {
    description.known(Volume4.eventedValues(of: currentView), in: version)
  }

  private var currentView: VolumeView { VolumeView(level: player.currentState.volume) }
}

/// The view of Volume:4.
struct VolumeView: Volume4.View {
  let level: Volume

  /// The highest step: 100, because some control points always divide by 100.
  static let maximum = 100

  var volume: UInt32 { UInt32(clamping: level.step(of: .master)) }
  var mute: Bool { level.isMuted(.master) }
  var balance: Int32 { Int32(clamping: level.balance) }
  var fade: Int32 { 0 }
  var volumeLimit: UInt32 { UInt32(clamping: level.limit) }
  var volumeMax: UInt32 { UInt32(Self.maximum) }
  /// Samples are unchanged at the highest step.
  var volumeUnity: UInt32 { UInt32(Self.maximum) }
  var volumeSteps: UInt32 { UInt32(Self.maximum) }
  /// In 1/1024 dB. Only the decibel curve has equal steps; for the others it is the average over the upper
  /// half.
  var volumeMilliDbPerStep: UInt32 {
    let half = level.curve.decibels(step: Self.maximum / 2)
    return UInt32(clamping: -half * 1024 / 256 / (Self.maximum / 2))
  }
  var balanceMax: UInt32 { UInt32(clamping: Volume.balanceMax) }
  /// 0, since two channels have no front and rear.
  var fadeMax: UInt32 { 0 }
  var unityGain: Bool { false }
  var volumeOffsets: String {
    SmallJSON.array(
      of: AdjustableChannel.allCases.map {
        "{\"channel\":\"\($0)\",\"offset\":\(level.offset(of: $0.channel))}"
      })
  }
  var volumeOffsetMax: UInt32 { UInt32(clamping: Volume.offsetRange.upperBound) }
  var trim: String {
    let range = Volume.trimRange
    return SmallJSON.array(
      of: AdjustableChannel.allCases.map {
        "{\"channel\":\"\($0)\",\"min\":\(range.lowerBound),\"max\":\(range.upperBound),"
          + "\"trim\":\(level.trim(of: $0.channel))}"
      })
  }
}

/// A side with its own offset and trim, by its name in Volume:4.
private enum AdjustableChannel: String, CaseIterable, CustomStringConvertible {
  case left = "Left"
  case right = "Right"

  var description: String { rawValue }

  var channel: VolumeChannel {
    switch self {
    case .left: .left
    case .right: .right
    }
  }

  /// The channel called `name`, case-insensitive.
  ///
  /// - Throws: error 816 for an unknown name.
  static func channel(_ name: String) throws(UPnPError) -> VolumeChannel {
    let name = name.trimmingASCIISpace.lowercased()
    guard let side = allCases.first(where: { $0.rawValue.lowercased() == name }) else {
      throw UPnPError(.unknownChannel)
    }
    return side.channel
  }
}
/// The actions of Volume:4 that aren't simple getters.
struct VolumeCommands: Volume4.Commands {
  let player: PlayerCore

  private static let fadeNotSupported = UPnPError(code: 801, description: "Action not supported: fade")

  private var level: Volume { player.currentState.volume }

  // MARK: Volume

  func setVolume(value: UInt32) throws(UPnPError) { try change(.to(Int(value)), unmutes: true) }
  func volumeInc() throws(UPnPError) { try change(.by(1), unmutes: true) }
  func volumeDec() throws(UPnPError) { try change(.by(-1), unmutes: true) }
  func setVolumeNoUnmute(value: UInt32) throws(UPnPError) { try change(.to(Int(value)), unmutes: false) }
  func volumeIncNoUnmute() throws(UPnPError) { try change(.by(1), unmutes: false) }
  func volumeDecNoUnmute() throws(UPnPError) { try change(.by(-1), unmutes: false) }
  func setMute(value: Bool) throws(UPnPError) { try player.change(.setMute(.master, value)) }

  private func change(_ change: VolumeChange, unmutes: Bool) throws(UPnPError) {
    try player.change(.changeVolume(change, unmutes: unmutes))
  }

  // MARK: Balance and fade

  func setBalance(value: Int32) throws(UPnPError) { try player.change(.setBalance(Int(value))) }
  func balanceInc() throws(UPnPError) { try player.change(.moveBalance(by: 1)) }
  func balanceDec() throws(UPnPError) { try player.change(.moveBalance(by: -1)) }
  func setFade(value: Int32) throws(UPnPError) { throw Self.fadeNotSupported }
  func fadeInc() throws(UPnPError) { throw Self.fadeNotSupported }
  func fadeDec() throws(UPnPError) { throw Self.fadeNotSupported }

  // MARK: Offsets and trim

  func volumeOffset(channel: String) throws(UPnPError) -> Int32 {
    Int32(clamping: level.offset(of: try AdjustableChannel.channel(channel)))
  }

  func setVolumeOffset(channel: String, volumeOffsetBinaryMilliDb: Int32) throws(UPnPError) {
    try player.change(.setVolumeOffset(AdjustableChannel.channel(channel), Int(volumeOffsetBinaryMilliDb)))
  }

  func trim(channel: String) throws(UPnPError) -> Int32 {
    Int32(clamping: level.trim(of: try AdjustableChannel.channel(channel)))
  }

  func setTrim(channel: String, trimBinaryMilliDb: Int32) throws(UPnPError) {
    try player.change(.setTrim(AdjustableChannel.channel(channel), Int(trimBinaryMilliDb)))
  }
}
