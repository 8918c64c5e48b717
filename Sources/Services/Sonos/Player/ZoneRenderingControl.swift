import Player
import SCPD
import UPnP

/// RenderingControl:1 of a zone: volume and mute of the player; tone settings, which are stored.
struct ZoneRenderingControl: ZoneRenderingControl1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  private var player: PlayerCore { parts.player }
  var view: ZoneRenderingControlView { ZoneRenderingControlView(settings: player.currentState.zone.settings) }
  func commands(for context: ActionContext) -> ZoneRenderingControl { self }

  func refusal(of variable: StateVariable) -> UPnPError? {
    switch variable.name {
    case "A_ARG_TYPE_InstanceID": UPnPError(code: 702, description: "Invalid InstanceID")
    case "A_ARG_TYPE_Channel": UPnPError(code: 703, description: "Invalid Channel")
    default: nil
    }
  }

  /// Each channel, always: controllers look for all three.
  func eventedValues(holding held: HeldValues) -> [EventedValue] {
    let (volume, settings) = (player.currentState.volume, player.currentState.zone.settings)
    let channels = ZoneRenderingControl1.Channel.allCases
    return channels.map {
      EventedValue(name: "Volume", channel: $0.rawValue, value: volume.zoneStep(of: $0).wire)
    }
      + channels.map {
        EventedValue(name: "Mute", channel: $0.rawValue, value: volume.isMuted($0.ofPlayer).wire)
      }
      + [
        EventedValue(name: "Bass", value: settings.bass.description),
        EventedValue(name: "Treble", value: settings.treble.description),
        EventedValue(name: "Loudness", channel: "Master", value: settings.hasLoudness.wire),
        EventedValue(name: "OutputFixed", value: "0"), EventedValue(name: "HeadphoneConnected", value: "0"),
        EventedValue(name: "SpeakerSize", value: "0"),
        EventedValue(name: "PresetNameList", value: "FactoryDefaults"),
      ]
  }
}

struct ZoneRenderingControlView: ZoneRenderingControl1.View {
  let settings: ZoneSettings

  var bass: Int16 { Int16(clamping: settings.bass) }
  var treble: Int16 { Int16(clamping: settings.treble) }
  var supportsOutputFixed: Bool { false }
  var outputFixed: Bool { false }
  var headphoneConnected: Bool { false }
  var roomCalibrationEnabled: Bool { false }
  var roomCalibrationAvailable: Bool { false }
}

extension ZoneRenderingControl: ZoneRenderingControl1.Commands {
  private var volume: Volume { player.currentState.volume }
  private func change(_ command: ZoneCommand) throws(UPnPError) { try player.changeZone(.zone(command)) }

  // MARK: Volume

  func getMute(channel: ZoneRenderingControl1.Channel) throws(UPnPError) -> Bool {
    volume.isMuted(channel.ofPlayer)
  }

  func setMute(channel: ZoneRenderingControl1.Channel, desiredMute: Bool) throws(UPnPError) {
    try player.changeZone(.setMute(channel.ofPlayer, desiredMute))
  }

  func getVolume(channel: ZoneRenderingControl1.Channel) throws(UPnPError) -> UInt16 {
    volume.zoneStep(of: channel)
  }

  func setVolume(channel: ZoneRenderingControl1.Channel, desiredVolume: UInt16) throws(UPnPError) {
    try player.changeZone(.setVolume(channel.ofPlayer, min(Int(desiredVolume), 100)))
  }

  func setRelativeVolume(
    channel: ZoneRenderingControl1.Channel, adjustment: Int32
  ) throws(UPnPError) -> UInt16 {
    let step = min(max(volume.step(of: channel.ofPlayer) + Int(adjustment), 0), 100)
    try player.changeZone(.setVolume(channel.ofPlayer, step))
    return volume.zoneStep(of: channel)
  }

  func getVolumeDB(channel: ZoneRenderingControl1.Channel) throws(UPnPError) -> Int16 {
    Int16(clamping: volume.decibels(of: channel.ofPlayer))
  }

  func setVolumeDB(channel: ZoneRenderingControl1.Channel, desiredVolume: Int16) throws(UPnPError) {
    let range = volume.decibelRange
    try player.changeZone(
      .setVolumeDecibels(
        channel.ofPlayer, min(max(Int(desiredVolume), range.lowerBound), range.upperBound)))
  }

  func getVolumeDBRange(
    channel: ZoneRenderingControl1.Channel
  ) throws(UPnPError) -> (minValue: Int16, maxValue: Int16) {
    let range = volume.decibelRange
    return (Int16(clamping: range.lowerBound), Int16(clamping: range.upperBound))
  }

  // MARK: Tone

  func setBass(desiredBass: Int16) throws(UPnPError) { try change(.setBass(Int(desiredBass))) }
  func setTreble(desiredTreble: Int16) throws(UPnPError) { try change(.setTreble(Int(desiredTreble))) }

  func getLoudness(channel: ZoneRenderingControl1.Channel) throws(UPnPError) -> Bool {
    player.currentState.zone.settings.hasLoudness
  }

  func setLoudness(channel: ZoneRenderingControl1.Channel, desiredLoudness: Bool) throws(UPnPError) {
    try change(.setLoudness(desiredLoudness))
  }

  func resetBasicEQ() throws(UPnPError) -> (
    bass: Int16, treble: Int16, loudness: Bool, leftVolume: UInt16, rightVolume: UInt16
  ) {
    try change(.resetTone)
    return (0, 0, true, 100, 100)
  }

  // MARK: Ramps

  func rampToVolume(
    channel: ZoneRenderingControl1.Channel, rampType: ZoneRenderingControl1.RampType, desiredVolume: UInt16,
    resetVolumeAfter: Bool, programURI: String
  ) throws(UPnPError) -> UInt32 {
    let ramp = ZoneRamp(rampType)
    let target = min(Int(desiredVolume), 100)
    let start = ramp.startsAtZero ? 0 : volume.step(of: .master)
    try change(
      .ramp(to: target, from: ramp.startsAtZero ? 0 : nil, every: ramp.interval, after: ramp.delay))
    let time = ramp.interval * abs(target - start) + ramp.delay
    return UInt32(clamping: time.components.seconds)
  }

  func restoreVolumePriorToRamp(channel: ZoneRenderingControl1.Channel) throws(UPnPError) {}
  func setChannelMap(channelMap: String) throws(UPnPError) {}
}

/// How fast the volume moves.
private struct ZoneRamp {
  /// The time between two steps.
  var interval: Duration
  var startsAtZero = false
  var delay = Duration.zero

  init(_ type: ZoneRenderingControl1.RampType) {
    switch type {
    case .sleepTimerRampType: interval = .milliseconds(800)
    case .alarmRampType: (interval, startsAtZero, delay) = (.milliseconds(400), true, .seconds(30))
    case .autoplayRampType: interval = .milliseconds(20)
    }
  }
}

extension ZoneRenderingControl1.Channel {
  fileprivate var ofPlayer: VolumeChannel {
    switch self {
    case .master: .master
    case .lf: .left
    case .rf: .right
    }
  }
}

extension Volume {
  fileprivate func zoneStep(of channel: ZoneRenderingControl1.Channel) -> UInt16 {
    UInt16(clamping: step(of: channel.ofPlayer))
  }
}
