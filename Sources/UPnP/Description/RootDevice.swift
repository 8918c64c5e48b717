import HTTP

/// A root device: a device, and all that distinguishes it on the wire from others of the same server.
public struct RootDevice: Sendable {
  /// What discovery tells about a root device.
  public enum Announcement: Sendable, Hashable {
    /// The root device, all embedded devices, and the services of each.
    case everything
    /// Only the root device, with its UDN and its type.
    case rootDevice
  }

  public var device: Device
  /// The path of the description; `/UDN/device.xml` unless it is changed.
  public var descriptionPath: String
  /// The TCP port where it is served; nil for the server's.
  public var port: Int?
  /// The SERVER field of its responses and announcements; nil for the server's.
  ///
  /// A device with a SERVER or with `httpFields` of its own needs a port of its own, too, or gets any free one. Devices that
  /// agree in all three share a port.
  public var serverToken: String?
  /// Further header fields of all HTTP responses at its port.
  public var httpFields: [HTTPField] = []
  /// Further header fields of its announcements and its responses to searches, but not of byebyes.
  public var ssdpFields: [HTTPField] = []
  public var announcement = Announcement.everything
  /// How the SIDs of subscriptions to its services, and to those of its embedded devices, are written.
  public var sidFormat = SIDFormat.uuid
  public var habits = DeviceHabits()

  public init(_ device: Device) {
    self.device = device
    descriptionPath = "\(device.basePath)/device.xml"
  }
}
