import UPnP

/// A call of an action of another zone.
public struct ZoneCall: Sendable, Hashable {
  /// The services whose actions zones call of each other, by their URNs without a version.
  public enum Service: String, Sendable, Hashable, CaseIterable {
    case household = "urn:schemas-vireo:service:Household"
    case topology = "urn:schemas-upnp-org:service:ZoneGroupTopology"
    case transport = "urn:schemas-upnp-org:service:AVTransport"
    case rendering = "urn:schemas-upnp-org:service:RenderingControl"

    /// The URN without its version.
    public var type: String { rawValue }
  }

  /// Whose action it is.
  public let service: Service
  /// The name of the action.
  public let action: String
  /// In the order of the service description.
  public let arguments: [SOAPArgument]

  init(_ service: Service, _ action: String, _ arguments: [(String, String)] = []) {
    self.service = service
    self.action = action
    let instance = service == .transport || service == .rendering ? [("InstanceID", "0")] : []
    self.arguments = (instance + arguments).map { SOAPArgument(name: $0.0, text: $0.1) }
  }

  static func follow(_ uid: String) -> ZoneCall { ZoneCall(.household, "Follow", [("Zone", uid)]) }
  static func listens(_ facts: ZoneFacts) -> ZoneCall {
    ZoneCall(
      .household, "Listens",
      [("Zone", facts.uid), ("To", facts.listensTo), ("ItsTurn", "\(facts.turn)")])
  }
  static let standAlone = ZoneCall(.transport, "BecomeCoordinatorOfStandaloneGroup")

  static func setVolume(_ volume: Int) -> ZoneCall {
    ZoneCall(.rendering, "SetVolume", [("Channel", "Master"), ("DesiredVolume", "\(volume)")])
  }

  static func setMute(_ isMuted: Bool) -> ZoneCall {
    ZoneCall(.rendering, "SetMute", [("Channel", "Master"), ("DesiredMute", isMuted ? "1" : "0")])
  }

  /// Tells a zone that another one doesn't answer.
  public static func unresponsive(_ uid: String) -> ZoneCall {
    ZoneCall(
      .topology, "ReportUnresponsiveDevice",
      [("DeviceUUID", uid), ("DesiredAction", "VerifyThenRemoveSystemwide")])
  }
}

/// The other zones of the household, as what they can be told.
public protocol ZoneNeighbours: Sendable {
  /// Calls an action of the zone, which has to be known; returns whether that has succeeded.
  nonisolated(nonsending) func call(_ call: ZoneCall, of uid: String) async -> Bool

  /// A zone seems to have gone without a word: it is asked whether it is there.
  func check(_ uid: String)
}

/// None.
struct NoZoneNeighbours: ZoneNeighbours {
  nonisolated(nonsending) func call(_ call: ZoneCall, of uid: String) async -> Bool { false }
  func check(_ uid: String) {}
}

extension ZoneNeighbours {
  /// Makes each of the calls at once, and waits for all of them; returns the UIDs of those that succeeded.
  nonisolated(nonsending) public func callEach(_ calls: [(uid: String, call: ZoneCall)]) async -> Set<String>
  {
    await withTaskGroup(of: (String, Bool).self) { group in
      for (uid, call) in calls { group.addTask { (uid, await self.call(call, of: uid)) } }
      var done: Set<String> = []
      for await (uid, isDone) in group where isDone { done.insert(uid) }
      return done
    }
  }
}
