import Network

/// Which renderer is meant when nobody says so: the one on this machine, or the only one.
enum DefaultRenderer {
  /// Nil as long as more have to be waited for.
  ///
  /// - Parameters:
  ///   - own: the addresses of this machine.
  ///   - isComplete: true when no more are expected.
  static func choose(_ renderers: [DeviceFacts], own: Set<IPAddress>, isComplete: Bool) -> DeviceFacts? {
    let here = renderers.filter { device in
      device.addresses.contains { $0.isLoopback || own.contains($0.unmapped) }
    }
    if here.count == 1 { return here[0] }
    return isComplete && renderers.count == 1 ? renderers[0] : nil
  }
}
