/// The paths of the three URLs of a service; `*` stands for its name.
public struct ServicePaths: Sendable, Hashable {
  /// `/xml/*1.xml`
  public var scpd: String
  /// `/MediaRenderer/*/Control`
  public var control: String
  /// `/MediaRenderer/*/Event`
  public var event: String

  public init(scpd: String, control: String, event: String) {
    self.scpd = scpd
    self.control = control
    self.event = event
  }

  /// The usual paths: `/BASE/NAME/scpd.xml`, `/BASE/NAME/control`, `/BASE/NAME/event`.
  init(below base: String) {
    self.init(scpd: "\(base)/*/scpd.xml", control: "\(base)/*/control", event: "\(base)/*/event")
  }

  /// Returns the paths of the service called `name`.
  func named(_ name: String) -> ServicePaths {
    func path(_ pattern: String) -> String {
      pattern.split(separator: "*", omittingEmptySubsequences: false).joined(separator: name)
    }
    return ServicePaths(scpd: path(scpd), control: path(control), event: path(event))
  }
}
