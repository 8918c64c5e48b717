import Player
import SCPD
import Synchronization
import UPnP

/// RenderingControl:1: volume and mute of the player, for Master, LF and RF.
///
/// There is only one volume: changes by OpenHome or by the configured limit show here as well.
public struct RenderingControl: RenderingControl1.Provider {
  let player: PlayerCore
  private let evented = EventedChannels()

  public init(player: PlayerCore) {
    self.player = player
  }

  var view: Shown { Shown() }
  func commands(for context: ActionContext) -> RenderingControl { self }

  /// The error codes of RenderingControl:1, table "Common error codes".
  public func refusal(of variable: StateVariable) -> UPnPError? {
    switch variable.name {
    case "A_ARG_TYPE_InstanceID": UPnPError(code: 702, description: "Invalid InstanceID")
    case "A_ARG_TYPE_Channel": UPnPError(code: 703, description: "Invalid Channel")
    case "A_ARG_TYPE_PresetName": UPnPError(code: 701, description: "Invalid Name")
    default: nil
    }
  }

  public func eventedValues(holding held: HeldValues) -> [EventedValue] {
    let volume = player.currentState.volume
    return RenderingControl1.eventedValues(of: view)
      + evented.channels(volume).flatMap { channel -> [EventedValue] in
        [
          ("Mute", volume.isMuted(channel.ofPlayer).wire), ("Volume", volume.wireStep(of: channel).wire),
          ("VolumeDB", volume.wireDecibels(of: channel).wire),
        ].map { EventedValue(name: $0, channel: channel.rawValue, value: $1) }
      }
  }

  struct Shown: RenderingControl1.View {
    var presetNameList: String { RenderingControl1.PresetName.factoryDefaults.rawValue }
  }
}

/// The channels that are sent to subscribers.
///
/// Some subscribers ignore the channel and take the last volume in an event for the only one. So left and
/// right are omitted while both are at full level and not muted, and they come before the master. Once sent,
/// they are always sent: a subscriber that saw them differ has to see that they no longer do.
private final class EventedChannels: Sendable {
  private let sides = Mutex(false)

  func channels(_ volume: Volume) -> [RenderingControl1.Channel] {
    let differ = [RenderingControl1.Channel.lf, .rf].contains {
      volume.isMuted($0.ofPlayer) || volume.decibels(of: $0.ofPlayer) != volume.decibelRange.upperBound
    }
    let tells = sides.withLock { sides in
      sides = sides || differ
      return sides
    }
    return tells ? [.lf, .rf, .master] : [.master]
  }
}

extension RenderingControl: RenderingControl1.Commands {
  private var volume: Volume { player.currentState.volume }

  func selectPreset(presetName: RenderingControl1.PresetName) throws(UPnPError) {
    switch presetName {
    case .factoryDefaults: try player.change(.restoreFactoryDefaults)
    }
  }

  func getMute(channel: RenderingControl1.Channel) throws(UPnPError) -> Bool {
    volume.isMuted(channel.ofPlayer)
  }

  func setMute(channel: RenderingControl1.Channel, desiredMute: Bool) throws(UPnPError) {
    try player.change(.setMute(channel.ofPlayer, desiredMute))
  }

  func getVolume(channel: RenderingControl1.Channel) throws(UPnPError) -> UInt16 {
    volume.wireStep(of: channel)
  }

  func setVolume(channel: RenderingControl1.Channel, desiredVolume: UInt16) throws(UPnPError) {
    try player.change(.setVolume(channel.ofPlayer, Int(desiredVolume)))
  }

  func getVolumeDB(channel: RenderingControl1.Channel) throws(UPnPError) -> Int16 {
    volume.wireDecibels(of: channel)
  }

  func setVolumeDB(channel: RenderingControl1.Channel, desiredVolume: Int16) throws(UPnPError) {
    try player.change(.setVolumeDecibels(channel.ofPlayer, Int(desiredVolume)))
  }

  func getVolumeDBRange(
    channel: RenderingControl1.Channel
  ) throws(UPnPError) -> (minValue: Int16, maxValue: Int16) {
    let range = volume.decibelRange
    return (Int16(clamping: range.lowerBound), Int16(clamping: range.upperBound))
  }
}

extension RenderingControl1.Channel {
  fileprivate var ofPlayer: VolumeChannel {
    switch self {
    case .master: .master
    case .lf: .left
    case .rf: .right
    }
  }
}

extension Volume {
  fileprivate func wireStep(of channel: RenderingControl1.Channel) -> UInt16 {
    UInt16(clamping: step(of: channel.ofPlayer))
  }

  /// In 1/256 dB, the unit of RenderingControl:1.
  fileprivate func wireDecibels(of channel: RenderingControl1.Channel) -> Int16 {
    Int16(clamping: decibels(of: channel.ofPlayer))
  }
}
