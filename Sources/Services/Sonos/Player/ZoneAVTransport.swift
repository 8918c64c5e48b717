import Player
import SCPD
import UPnP

/// AVTransport:1 of a zone: the queue, or the track or station that was chosen instead.
struct ZoneAVTransport: ZoneAVTransport1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  func commands(for context: ActionContext) -> ZoneAVTransportCommands {
    ZoneAVTransportCommands(
      parts: parts, log: CastLog(logger: parts.logger, context: context, casters: parts.casters))
  }

  func refusal(of variable: StateVariable) -> UPnPError? {
    switch variable.name {
    case "A_ARG_TYPE_InstanceID": UPnPError(code: 718, description: "Invalid InstanceID")
    case "A_ARG_TYPE_SeekMode": UPnPError(.seekModeNotSupported)
    case "CurrentPlayMode": UPnPError(.playModeNotSupported)
    case "TransportPlaySpeed": UPnPError(code: 717, description: "Play speed not supported")
    default: nil
    }
  }

  var view: ZoneAVTransportView {
    let coordinator = parts.home.coordinator?.uid
    return parts.player.assumeIsolated {
      ZoneAVTransportView(
        state: $0.state, now: $0.now, queueURI: parts.queueURI, coordinator: coordinator)
    }
  }

  func perform(_ call: inout ActionCall) throws(UPnPError) {
    try checkMember(call)
    let context = call.context
    try ZoneAVTransport1.perform(&call, view: view, commands: commands(for: context))
  }

  /// Whoever lets a zone play something else waits where there are others: those whom it concerns are told first.
  func waits(_ action: Int) -> Bool {
    ZoneAVTransport1.laterActions.contains(action) || isSelection(action) && parts.grouping.hasNeighbours
  }

  private func isSelection(_ action: Int) -> Bool { description.actions[action].name == "SetAVTransportURI" }

  nonisolated(nonsending) func performLater(_ call: ActionCall) async throws(UPnPError) -> ActionCall {
    try checkMember(call)
    var call = call
    let heard = parts.player.currentState.listensTo
    if isSelection(call.action) {
      let sent: String = try call.input(1)
      if case .group(let uid) = ZoneURI(sent), parts.grouping.hasMembers {
        try await commands(for: call.context).joinAsCoordinator(uid)
      } else {
        try perform(&call)
      }
    } else {
      try await ZoneAVTransport1.performLater(&call, commands: commands(for: call.context))
    }
    await parts.grouping.tellWhomItHears(insteadOf: heard)
    return call
  }

  /// A zone that plays with another one refuses what only the coordinator can do.
  private func checkMember(_ call: ActionCall) throws(UPnPError) {
    guard let refusal = ZoneMemberRules.refusal(description.actions[call.action].name),
      parts.home.coordinator != nil
    else { return }
    throw refusal
  }

  func eventedValues(holding held: HeldValues) -> [EventedValue] { view.eventedValues }
}
