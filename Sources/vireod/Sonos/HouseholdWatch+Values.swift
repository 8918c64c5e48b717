import NIOCore
import Zones

/// What ``HouseholdWatch`` knows and does.
extension HouseholdWatch {
  enum Phase: Sendable, Equatable {
    /// Asks whether there are others, and shows nothing yet.
    case looking(searchesLeft: Int, wake: NIODeadline, end: NIODeadline)
    case shown
    /// Zones of another maker are there. It stays so until that time at least.
    case hidden(until: NIODeadline)
  }

  enum Action: Sendable, Hashable {
    case search
    case show
    /// Withdraws this zone, or doesn't show it at all: there is a zone of that household.
    case hide(household: String)
    /// Asks the device at that URL who it is; the answer goes to ``answered(_:_:now:)``.
    case ask(String, location: String)
    /// Follows what a zone of this program tells, where it was asked last.
    case follow(String)
    /// It has started again.
    case restarted(String)
    /// It has gone; silently if nobody has said so.
    case forget(String, isSilent: Bool)
  }

  typealias Answer = ZonePeers.Answer

  struct Peer: Sendable, Equatable {
    var location: String
    var source: String
    var household: String
    var bootSequence: Int
    var asked: NIODeadline
    /// It has said goodbye; one that only announces itself anew says hello in a moment.
    var leaves: NIODeadline?
  }

  struct Stranger: Sendable, Equatable {
    var household: String
    /// When it was asked and didn't answer; nil for one that has, or can't be asked.
    var wasSilent: NIODeadline?
    var until: NIODeadline
  }

  struct Question: Sendable, Equatable {
    var location: String
    var source: String
    var household: String
    var bootSequence: Int
    var tries = 0
    var isUnderWay = false
    var due: NIODeadline
  }
}
