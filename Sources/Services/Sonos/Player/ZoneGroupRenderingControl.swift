import Player
import Synchronization
import UPnP

/// GroupRenderingControl:1 of a zone: the volume of all zones of its group. Only the coordinator has it.
struct ZoneGroupRenderingControl: ZoneGroupRenderingControl1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  var view: ZoneGroupRenderingControlView { ZoneGroupRenderingControlView(zones: parts.home.groupFacts) }
  func commands(for context: ActionContext) -> ZoneGroupRenderingControl { self }

  func perform(_ call: inout ActionCall) throws(UPnPError) {
    try checkMember()
    let context = call.context
    try ZoneGroupRenderingControl1.perform(&call, view: view, commands: commands(for: context))
  }

  nonisolated(nonsending) func performLater(_ call: ActionCall) async throws(UPnPError) -> ActionCall {
    try checkMember()
    var call = call
    try await ZoneGroupRenderingControl1.performLater(&call, commands: commands(for: call.context))
    return call
  }

  private func checkMember() throws(UPnPError) {
    guard parts.home.coordinator == nil else { throw .zoneGroupOnly }
  }
}

struct ZoneGroupRenderingControlView: ZoneGroupRenderingControl1.View {
  let zones: [ZoneFacts]

  var groupMute: Bool { zones.allSatisfy(\.isMuted) }
  var groupVolume: UInt16 { UInt16(clamping: ZoneGroupVolume.level(of: zones.map(\.volume))) }
  var groupVolumeChangeable: Bool { true }
}

extension ZoneGroupRenderingControl: ZoneGroupRenderingControl1.Commands {
  private var uid: String { parts.home.identity.uid }

  nonisolated(nonsending) func setGroupMute(desiredMute: Bool) async throws(UPnPError) {
    try parts.player.changeZone(.setMute(.master, desiredMute))
    let others = parts.home.groupFacts.map(\.uid).filter { $0 != uid }
    await tell(others.map { ($0, .setMute(desiredMute)) }) { $0.isMuted = desiredMute }
  }

  nonisolated(nonsending) func setGroupVolume(desiredVolume: UInt16) async throws(UPnPError) {
    try await move(to: Int(desiredVolume))
  }

  nonisolated(nonsending) func setRelativeGroupVolume(adjustment: Int32) async throws(UPnPError) -> UInt16 {
    try await move(to: Int(view.groupVolume) + Int(adjustment))
    return view.groupVolume
  }

  func snapshotGroupVolume() throws(UPnPError) { parts.groupVolume.snapshot(levels) }

  private var levels: ZoneGroupVolume.Levels {
    Dictionary(parts.home.groupFacts.map { ($0.uid, $0.volume) }) { first, _ in first }
  }

  private nonisolated(nonsending) func move(to target: Int) async throws(UPnPError) {
    let new = parts.groupVolume.move(levels, to: min(max(target, 0), 100))
    if let own = new[uid] { try parts.player.changeZone(.setVolume(.master, own)) }
    await tell(new.filter { $0.key != uid }.map { ($0.key, .setVolume($0.value)) }) { facts in
      facts.volume = new[facts.uid] ?? facts.volume
    }
  }

  /// Tells others, and takes what they were told for what they are: their events come a moment later.
  private nonisolated(nonsending) func tell(
    _ calls: [(uid: String, call: ZoneCall)], then note: @Sendable (inout ZoneFacts) -> Void
  ) async {
    guard !calls.isEmpty else { return }
    let done = await parts.grouping.neighbours.callEach(calls)
    parts.home.note(note, of: done)
  }
}

/// The last snapshot of the group's volume.
final class ZoneGroupVolumeState: Sendable {
  private let value = Mutex(ZoneGroupVolume())

  func snapshot(_ levels: ZoneGroupVolume.Levels) { value.withLock { $0.snapshot(levels) } }

  func move(_ levels: ZoneGroupVolume.Levels, to target: Int) -> ZoneGroupVolume.Levels {
    value.withLock { $0.move(levels, to: target) }
  }
}
