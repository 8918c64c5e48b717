import DIDLLite
import Rooms
import UPnP

/// What a zone tells the other zones of its household about itself: all that they need to know of it.
public struct ZoneFacts: Sendable, Hashable {
  /// How firmly a zone holds on to the name of its household. The lower one counts more.
  public enum Standing: UInt32, Sendable, Comparable {
    /// Its configuration names the household.
    case configured
    /// It shares the household with another zone, or has done so.
    case settled
    /// It was always alone in it.
    case fresh

    public static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
  }

  var member: ZoneMember
  /// The name of its household: ``ZoneIdentity/isHousehold(_:)``.
  public var household: String
  /// How firmly it holds on to it.
  public var standing: Standing
  let sender: ZoneSender
  /// The address of the sender that it listens to; empty when it plays by itself.
  var listensTo: String
  /// How often it has begun to listen to somebody else, or stopped, in this run.
  var turn: UInt32
  /// 0...100
  var volume: Int
  var isMuted: Bool

  /// `RINCON_…01400`
  public var uid: String { member.uid }
  /// Its name and where it is, for a line of the log.
  public var shownName: String { LogText.cleaned(member.name) }
  public var shownAddress: String { member.address }

  init(
    _ member: ZoneMember, household: String, standing: Standing, sender: ZoneSender, listensTo: String,
    turn: UInt32,
    volume: Int, isMuted: Bool
  ) {
    self.member = member
    self.household = household
    self.standing = standing
    self.sender = sender
    self.listensTo = listensTo
    self.turn = turn
    self.volume = volume
    self.isMuted = isMuted
  }

  /// The longest texts that are taken from another zone, in bytes.
  static let longestSender = 4096
  static let longestAddress = 1024

  /// The variables by which a zone tells them.
  public static let names = Set(
    ZoneHousehold1.description.variables.filter(\.sendsEvents).map(\.name))

  /// Reads what another zone tells in the events of its Household service.
  ///
  /// - Parameters:
  ///   - uid: who it is, and `address` where: what has been verified, and not what it says.
  ///   - values: by the names of the variables.
  /// - Returns: nil when something is missing, isn't a value of its kind, or is longer than any zone's.
  public init?(uid: String, address: String, values: [String: String]) {
    func text(_ name: String, most: Int) -> String? {
      values[name].flatMap { $0.utf8.count <= most ? $0 : nil }
    }
    guard let household = values["Household"], ZoneIdentity.isHousehold(household),
      let standing = values["Standing"].flatMap({ UInt32($0) }).flatMap({ Standing(rawValue: $0) }),
      let name = text("RoomName", most: ZoneNotes.maximumNameLength),
      let icon = text("RoomIcon", most: ZoneNotes.maximumNameLength),
      let bootSequence = values["BootSeq"].flatMap({ UInt32($0) }), bootSequence > 0,
      let isIdle = values["IsIdle"].flatMap({ Bool(wire: $0) }),
      let sender = text("Sender", most: Self.longestSender),
      let listensTo = text("ListensTo", most: Self.longestAddress),
      let turn = values["Turn"].flatMap({ UInt32($0) }),
      let volume = values["Volume"].flatMap({ Int($0) }), (0...100).contains(volume),
      let isMuted = values["IsMuted"].flatMap({ Bool(wire: $0) })
    else { return nil }
    self.init(
      ZoneMember(
        uid: uid, address: address, name: name, icon: icon, bootSequence: Int(bootSequence), isIdle: isIdle),
      household: household, standing: standing, sender: ZoneSender(sender), listensTo: listensTo, turn: turn,
      volume: volume,
      isMuted: isMuted)
  }
}

/// By what others listen to a zone (Songcast).
public struct ZoneSender: Sendable, Hashable {
  static let none = ZoneSender("")

  /// DIDL-Lite; empty when nobody can.
  let document: String
  /// The address in it; empty when there is none.
  let uri: String

  init(_ document: String) {
    self.document = document
    let uri = DIDL.items(document).first?.resources.first?.uri ?? ""
    self.uri = SongcastURI(uri) == nil ? "" : uri
  }
}
