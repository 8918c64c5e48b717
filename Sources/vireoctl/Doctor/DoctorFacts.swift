import ControlPoint
import Network

/// What was found out about this machine, its network and the devices in it: all that ``DoctorChecks`` judge.
struct DoctorFacts: Sendable {
  /// A place that searches were sent from.
  struct Endpoint: Sendable, Hashable {
    var interface: String
    var address: IPAddress
    /// Why the search couldn't be sent; 0 for no error.
    var errorCode: CInt = 0
  }

  /// An answer to a search.
  struct Answer: Sendable, Hashable {
    var udn: String
    var target: String
    var location: String
    var sender: IPAddress
    /// The interface by which it came.
    var interface: String
    /// Since the search was sent, in milliseconds.
    var delay: Int
    var bootID: Int?
    /// True for the answer to a search that was sent to the device alone.
    var isUnicast = false
  }

  /// What became of a description.
  struct Described: Sendable, Hashable {
    var url: String
    /// Nil if it was read.
    var failure: ActionFailure?
    var udn = ""
    var name = ""
    var isRenderer = false
    var isServer = false
    /// The types of content that a renderer says it plays; nil if it doesn't say.
    var sink: [String]?
    /// How far the device's clock is ahead of ours, in seconds; nil if it doesn't tell.
    var clockOffset: Int?
  }

  struct Bridge: Sendable, Hashable {
    var name: String
    var isSnooping: Bool
    var isQuerier: Bool
  }

  /// When the last answer to a search may come, in milliseconds: the last search, and what devices may wait.
  var longestDelay = 1700
  var interfaces: [NetworkInterface] = []
  /// The names or patterns of the interfaces that are to be used; empty for all that lead to a network.
  var named: [String] = []
  /// The names of the interfaces that lead only to containers and virtual machines.
  var guests: [String] = []
  var endpoints: [Endpoint] = []
  var answers: [Answer] = []
  var descriptions: [Described] = []
  /// True if another program has taken port 1900 for itself alone.
  var isPortTaken = false
  /// The firewalls that seem to be on here: `ufw`, `firewalld`.
  var firewalls: [String] = []
  var bridges: [Bridge] = []
  /// Seconds since 1970.
  var clock = 0
  var isClockSet = true
  /// What the user asks for, and where it should be, if that is an address.
  var wanted: String?
  var wantedAddress: IPAddress?
  /// Whether the wanted address takes a TCP connection at the port of a description or page: nil if it wasn't tried.
  var isWantedReachable: Bool?

  /// The interfaces by which devices are looked for.
  var used: Set<String> { Set(endpoints.map(\.interface)) }
  var multicastAnswers: [Answer] { answers.filter { !$0.isUnicast } }
}

/// What the doctor says about one thing.
struct Finding: Sendable, Hashable {
  enum Grade: String, Sendable, Hashable {
    case good, hint, fault
  }

  var grade: Grade
  /// A stable word for it.
  var check: String
  var text: String
  var cure: String?

  static func good(_ check: String, _ text: String) -> Finding {
    Finding(grade: .good, check: check, text: text)
  }
  static func hint(_ check: String, _ text: String, cure: String) -> Finding {
    Finding(grade: .hint, check: check, text: text, cure: cure)
  }
  static func fault(_ check: String, _ text: String, cure: String) -> Finding {
    Finding(grade: .fault, check: check, text: text, cure: cure)
  }
}
