/// A picture inside the file that plays, as the decoder found it. Two are the same only if they are one object, so that
/// states with pictures are compared as quickly as those without.
public final class EmbeddedPicture: Sendable, Hashable {
  /// The largest that is kept, in bytes.
  public static let largest = 1 << 20

  /// The file of the picture. Nobody has checked what it is.
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public static func == (one: EmbeddedPicture, other: EmbeddedPicture) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
