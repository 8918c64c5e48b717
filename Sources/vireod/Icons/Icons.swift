import CIcons
import UPnP

/// The icons that control points show.
enum Icons {
  static let maximumBytes = 256 * 1024

  /// The built-in bird, drawn by `Config/icon/draw.py`.
  static func builtIn() -> [DeviceIcon] {
    (0..<cicons_count()).compactMap { index in
      var length = 0
      guard let start = cicons_bytes(index, &length) else { return nil }
      return icon(Array(UnsafeBufferPointer(start: start, count: length)))
    }
  }

  /// Loads the PNG at `path`.
  static func load(_ path: String) -> Result<DeviceIcon, FileFailure> {
    FileBytes.read(path, limit: maximumBytes).flatMap { bytes in
      icon(bytes).map(Result.success) ?? .failure(FileFailure(code: 0, reason: "not a PNG"))
    }
  }

  private static func icon(_ bytes: [UInt8]) -> DeviceIcon? {
    guard let header = PNGHeader(bytes) else { return nil }
    return DeviceIcon(
      mimeType: "image/png", width: header.width, height: header.height, depth: header.depth, bytes: bytes)
  }
}
