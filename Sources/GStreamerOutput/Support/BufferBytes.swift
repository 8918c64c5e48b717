import CGStreamer

extension UnsafeMutablePointer where Pointee == GstBuffer {
  /// A copy of its bytes.
  var bytes: [UInt8] { bytes(atMost: .max) }

  /// A copy of its first bytes.
  func bytes(atMost most: Int) -> [UInt8] {
    let size = min(most, Int(gst_buffer_get_size(self)))
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      count = Int(gst_buffer_extract(self, 0, bytes.baseAddress, gsize(size)))
    }
  }
}
