import NIOCore
import UPnP
import XML

/// The body of an event message.
enum EventBody {
  /// Reads the values in a body, with each LastChange taken apart; nil when it can't be read.
  ///
  /// A LastChange that can't be read stays as it is.
  static func values(_ body: ByteBuffer) -> [ServiceValue]? {
    guard let properties = try? PropertySet.read(body) else { return nil }
    return properties.flatMap { property in
      guard property.name == "LastChange", let instances = try? LastChange.read(property.value) else {
        return [ServiceValue(.init(property.name), property.value)]
      }
      return instances.flatMap { instance in
        instance.values.map {
          ServiceValue(.init($0.name, channel: $0.channel, instance: instance.id), $0.value)
        }
      }
    }
  }
}
