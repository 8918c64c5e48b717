/// What the control points of a vendor expect of a device, and others don't.
public struct DeviceHabits: Sendable, Hashable {
  /// Finds an action by the path and its name, whatever service type the request names; the answer names the same. Also
  /// accepts a body in which ampersands aren't escaped.
  public var isLenient: Bool
  /// The header field of event messages that has the service's name; nil for none.
  public var eventServiceField: String?
  /// Sends each event message on a connection of its own.
  public var closesEvents: Bool
  /// Answers searches within this time, whatever their MX says; nil for MX.
  public var answersWithin: Duration?
  /// Answers searches that lack MAN, too.
  public var answersWithoutMAN: Bool
  /// Announces and answers on IPv4 only.
  public var isIPv4Only: Bool
  /// Names the target of an announcement, and of the end of one, as ST too, as in an answer to a search.
  public var announcesSearchTarget: Bool
  /// Listens at this host's IPv4 addresses only, one by one, so that another program may have its port at another address; for a
  /// device with a port of its own. Where the port is taken the device isn't served, until it is free.
  public var listensAtOwnAddresses: Bool

  public init(
    isLenient: Bool = false, eventServiceField: String? = nil, closesEvents: Bool = false,
    answersWithin: Duration? = nil, answersWithoutMAN: Bool = false, isIPv4Only: Bool = false,
    announcesSearchTarget: Bool = false, listensAtOwnAddresses: Bool = false
  ) {
    self.isLenient = isLenient
    self.eventServiceField = eventServiceField
    self.closesEvents = closesEvents
    self.answersWithin = answersWithin
    self.answersWithoutMAN = answersWithoutMAN
    self.isIPv4Only = isIPv4Only
    self.announcesSearchTarget = announcesSearchTarget
    self.listensAtOwnAddresses = listensAtOwnAddresses
  }
}
