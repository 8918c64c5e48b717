/// An icon with its bytes.
public struct DeviceIcon: Sendable, Hashable {
  /// The MIME type, for example `image/png`.
  public var mimeType: String
  public var width: Int
  public var height: Int
  public var depth: Int
  public var bytes: [UInt8]
  /// The path where it is served; nil for one below the device's `basePath`.
  public var path: String?

  public init(mimeType: String, width: Int, height: Int, depth: Int, bytes: [UInt8], path: String? = nil) {
    self.mimeType = mimeType
    self.width = width
    self.height = height
    self.depth = depth
    self.bytes = bytes
    self.path = path
  }
}
