import CLinux
import Glibc
import Threads

/// A path that may appear: a file, or anything in a directory if `name` is nil. Neither need exist yet.
struct AwaitedPath: Sendable, Hashable {
  /// Absolute.
  var directory: String
  var name: String?
}

/// Reports when one of some paths appears or changes its permissions (inotify(7)). Its thread sleeps until then.
final class PathWatch: Sendable {
  /// Closing this descriptor ends the thread.
  private let stop: Int32

  /// Nil if nothing can be watched.
  init?(_ paths: [AwaitedPath], appeared: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard !paths.isEmpty, descriptor >= 0, clinux_pipe(&ends) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    let (reading, writing) = (ends[0], ends[1])
    // Watch before the caller checks for the paths, so that none is missed.
    var watcher = PathWatcher(paths: paths, descriptor: descriptor)
    watcher.arm()
    let armed = watcher
    let isStarted = Thread.start(name: "vireo-devices") {
      var watcher = armed
      var waiting = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      ]
      while poll(&waiting, 2, -1) >= 0 || errno == EINTR {
        if waiting[1].revents != 0 { break }
        if waiting[0].revents != 0, watcher.read() { appeared() }
      }
      close(descriptor)
      close(reading)
    }
    guard isStarted else {
      for end in [descriptor, reading, writing] { close(end) }
      return nil
    }
    stop = writing
  }

  deinit { close(stop) }
}

/// Which directories are watched for which paths. Used by one thread at a time.
private struct PathWatcher: Sendable {
  let paths: [AwaitedPath]
  let descriptor: Int32
  /// Awaited names in each watched directory, by watch; nil: any name.
  private var names: [Int32: Set<String>?] = [:]
  /// Directories of ``paths`` that exist, by watch.
  private var reached: [Int32: String] = [:]

  init(paths: [AwaitedPath], descriptor: Int32) {
    self.paths = paths
    self.descriptor = descriptor
  }

  /// Watches each path's directory, or its nearest existing ancestor. True if a directory was newly reached.
  @discardableResult
  mutating func arm() -> Bool {
    var isNew = false
    for path in paths {
      // Meanwhile the next level may have appeared.
      for _ in 0..<16 {
        guard let (watch, awaited) = watchDeepest(of: path) else { break }
        if let awaited {
          if access(awaited, F_OK) == 0 { continue }
        } else if reached.updateValue(path.directory, forKey: watch) == nil {
          isNew = true
        }
        break
      }
    }
    return isNew
  }

  /// Returns the watch and, for an ancestor, the path that must appear in it; nil if nothing can be watched.
  private mutating func watchDeepest(of path: AwaitedPath) -> (Int32, String?)? {
    let itself = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    let watch = inotify_add_watch(descriptor, path.directory, itself | UInt32(IN_MASK_ADD))
    if watch >= 0 {
      expect(path.name, at: watch)
      return (watch, nil)
    }
    var parts = path.directory.split(separator: "/").map(String.init)
    while let name = parts.popLast() {
      let parent = "/" + parts.joined(separator: "/")
      let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD)
      let watch = inotify_add_watch(descriptor, parent, mask)
      if watch >= 0 {
        expect(name, at: watch)
        return (watch, (parts.isEmpty ? "" : parent) + "/" + name)
      }
    }
    return nil
  }

  private mutating func expect(_ name: String?, at watch: Int32) {
    guard let name else {
      names[watch] = .some(nil)
      return
    }
    // Any name counts already.
    if let known = names[watch], known == nil { return }
    names[watch, default: []]?.insert(name)
  }

  /// Reads the pending events. True if an awaited path has appeared.
  mutating func read() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var isWanted = false
    var isMoved = false
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      buffer.withUnsafeBytes { bytes in
        var at = 0
        // `struct inotify_event`; the kernel returns only whole ones.
        while at + 16 <= count {
          let watch = bytes.loadUnaligned(fromByteOffset: at, as: Int32.self)
          let mask = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
          let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
          let name = String(decoding: bytes[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
          at += 16 + length
          if mask & UInt32(IN_Q_OVERFLOW) != 0 { (isWanted, isMoved) = (true, true) }
          if mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 {
            names[watch] = nil
            reached[watch] = nil
            isMoved = true
          }
          guard !name.isEmpty, let wanted = names[watch], wanted?.contains(name) ?? true else { continue }
          if reached[watch] != nil { isWanted = true } else { isMoved = true }
          // One directory may hold an awaited path and lead to another.
          isMoved = true
        }
      }
    }
    if isMoved, arm() { isWanted = true }
    return isWanted
  }
}
