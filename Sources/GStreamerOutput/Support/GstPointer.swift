/// A pointer to an object of GStreamer that several threads use.
///
/// It owns no reference: whoever stores it keeps the object alive.
// Safe to share: GStreamer's objects lock themselves, and a buffer, caps or a message that several threads know is only read.
struct GstPointer<Object>: @unchecked Sendable {
  let object: UnsafeMutablePointer<Object>

  init(_ object: UnsafeMutablePointer<Object>) { self.object = object }
}
