/// A pointer to an object of GStreamer or GLib that several threads use.
///
/// It owns no reference: whoever stores it keeps the object alive.
// Safe to share: elements and pads lock themselves. Caps, messages and lists that several threads use are only read. A
// buffer is changed only by whoever holds its only reference, and that is one thread at a time.
struct GstPointer<Object>: @unchecked Sendable {
  let object: UnsafeMutablePointer<Object>

  init(_ object: UnsafeMutablePointer<Object>) { self.object = object }
}
