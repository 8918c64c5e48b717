import Player
import UPnP

/// GroupRenderingControl:1 of a zone that is alone in its group: the same volume.
struct ZoneGroupRenderingControl: ZoneGroupRenderingControl1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  var view: ZoneGroupRenderingControlView {
    ZoneGroupRenderingControlView(volume: parts.player.currentState.volume)
  }
  func commands(for context: ActionContext) -> ZoneGroupRenderingControl { self }
}

struct ZoneGroupRenderingControlView: ZoneGroupRenderingControl1.View {
  let volume: Volume

  var groupMute: Bool { volume.isMuted(.master) }
  var groupVolume: UInt16 { UInt16(clamping: volume.step(of: .master)) }
  var groupVolumeChangeable: Bool { true }
}

extension ZoneGroupRenderingControl: ZoneGroupRenderingControl1.Commands {
  func setGroupMute(desiredMute: Bool) throws(UPnPError) {
    try parts.player.changeZone(.setMute(.master, desiredMute))
  }

  func setGroupVolume(desiredVolume: UInt16) throws(UPnPError) {
    try parts.player.changeZone(.setVolume(.master, min(Int(desiredVolume), 100)))
  }

  func setRelativeGroupVolume(adjustment: Int32) throws(UPnPError) -> UInt16 {
    let step = parts.player.currentState.volume.step(of: .master) + Int(adjustment)
    try parts.player.changeZone(.setVolume(.master, min(max(step, 0), 100)))
    return view.groupVolume
  }

  /// The ratio of one volume needs no note.
  func snapshotGroupVolume() throws(UPnPError) {}
}
