import Glibc

/// Paths at which sound devices appear: device nodes of sound cards, and sockets of sound servers.
struct DevicePlaces: Sendable, Hashable {
  /// The directory of ALSA's device nodes.
  var nodes: String
  /// Sockets of PulseAudio and PipeWire, absolute.
  var pulseSockets: [String] = []
  var pipeWireSockets: [String] = []
  /// A configured server is on another host, which can't be watched.
  var hasRemoteServer = false

  /// - Parameter environment: looks up an environment variable.
  init(nodes: String, environment: (String) -> String?) {
    self.nodes = nodes
    let runtime = environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
    if let servers = environment("PULSE_SERVER"), !servers.isEmpty {
      for server in servers.split(separator: " ").prefix(8) {
        // `{machine id}unix:/path`
        let address = server.hasPrefix("{") ? server.drop { $0 != "}" }.dropFirst() : server
        let path = address.hasPrefix("unix:") ? address.dropFirst(5) : address
        if path.hasPrefix("/") { pulseSockets.append(String(path)) } else { hasRemoteServer = true }
      }
    } else {
      let own = environment("PULSE_RUNTIME_PATH") ?? runtime.map { $0 + "/pulse" }
      if let own, own.hasPrefix("/") { pulseSockets.append(own + "/native") }
      pulseSockets.append("/run/pulse/native")
    }
    let remote = environment("PIPEWIRE_REMOTE") ?? "pipewire-0"
    if remote.hasPrefix("/") {
      pipeWireSockets = [remote]
    } else if let directory = environment("PIPEWIRE_RUNTIME_DIR") ?? runtime, directory.hasPrefix("/") {
      pipeWireSockets = [directory + "/" + remote]
    }
  }

  static func here(nodes: String) -> DevicePlaces {
    DevicePlaces(nodes: nodes) { name in getenv(name).map { String(cString: $0) } }
  }

  /// Paths that appear when a device or its server does.
  var paths: [AwaitedPath] {
    [AwaitedPath(directory: nodes, name: nil)]
      + (pulseSockets + pipeWireSockets).map { socket in
        let parts = socket.split(separator: "/")
        return AwaitedPath(
          directory: "/" + parts.dropLast().joined(separator: "/"), name: parts.last.map(String.init) ?? "")
      }
  }

  /// Whether a server accepts connections at the socket `path`.
  static func answers(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
