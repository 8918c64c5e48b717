/// Which service of which device: what subscriptions hold on to while devices are replaced.
struct ServiceKey: Sendable, Hashable {
  var udn: String
  var name: String
}
