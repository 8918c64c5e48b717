/// Identifies a service of a device; subscriptions refer to it while devices are replaced.
struct ServiceKey: Sendable, Hashable {
  var udn: String
  var name: String
}
