import NIOCore

/// How a service sends its events.
struct ServiceEventing: Sendable {
  var style: EventStyle
  /// The shortest time between two rounds of events.
  var moderation: Duration = .zero
  var leading: LeadingVariable?
  /// True when every event has all variables.
  var isWhole = false
  /// The shortest time between two events of single variables, by name.
  var variables: [String: TimeAmount] = [:]
}

extension ServiceEventing {
  /// The settings of a service; how its variables are moderated stands in its description.
  init(_ provider: any ServiceProvider) {
    let moderated = provider.description.variables.filter { $0.moderation > .zero }
    switch provider.eventing {
    case .lastChange:
      let whole = moderated.first { $0.name == "LastChange" }
      self.init(
        style: provider.eventing, moderation: whole?.moderation ?? .zero, leading: provider.leading,
        isWhole: provider.sendsWholeEvents)
    case .properties:
      self.init(
        style: provider.eventing, leading: provider.leading, isWhole: provider.sendsWholeEvents,
        variables: Dictionary(
          moderated.map { ($0.name, TimeAmount($0.moderation)) }, uniquingKeysWith: { first, _ in first }))
    }
  }
}
