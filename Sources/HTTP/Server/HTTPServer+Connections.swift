import CLinux
import NIOCore

/// The server's functions for its connections.
extension HTTPServer {
  /// Accepts or refuses a new connection, and closes another one if that is needed.
  func admit(_ channel: any Channel, _ peer: Peer) -> ConnectionTable.Admission {
    if let reason = access.refusal(peer) {
      note(reason, peer)
      return .refused(reason)
    }
    let admission = connections.admit(peer.remote)
    switch admission {
    case .accepted(let id, let evicted):
      channels[id] = (channel, peer)
      if let evicted {
        note(.evicted, peer)
        channels.removeValue(forKey: evicted)?.channel.close(promise: nil)
      }
    case .refused(let reason): note(reason, peer)
    }
    return admission
  }

  func closed(_ connection: Int) {
    connections.remove(connection)
    channels[connection] = nil
    // Otherwise the allocator would keep the memory of large unfinished requests.
    guard tookMuchMemory, connections.unfinishedBytes == 0, connections.unsentBytes == 0 else { return }
    tookMuchMemory = false
    eventLoop.execute { _ = clinux_trim_heap() }
  }

  func enter(_ phase: ConnectionTable.Phase, connection: Int) {
    connections.enter(phase, connection)
  }

  /// Records the bytes of an unfinished request; true when `connection` itself must be closed.
  func noteUnfinished(_ bytes: Int, by connection: Int) -> Bool {
    let victim = connections.noteUnfinished(bytes, connection)
    tookMuchMemory = tookMuchMemory || connections.unfinishedBytes > configuration.limits.unfinishedBytes / 2
    guard let victim else { return false }
    if victim == connection { return true }
    close(victim, .unfinishedBytes)
    return false
  }

  /// Records the bytes of responses that `connection` hasn't taken, and closes the one with most if that is too much.
  func noteUnsent(_ bytes: Int, to connection: Int) {
    let victim = connections.noteUnsent(bytes, connection)
    tookMuchMemory = tookMuchMemory || connections.unsentBytes > configuration.limits.unfinishedBytes
    if let victim { close(victim, .unsentResponseBytes) }
  }

  private func close(_ victim: Int, _ reason: RefusalReason) {
    connections.remove(victim)
    guard let (channel, peer) = channels.removeValue(forKey: victim) else { return }
    note(reason, peer)
    channel.close(promise: nil)
  }

  /// Counts the refusal of a request that is invalid or incomplete.
  func refused(_ status: HTTPStatus, from peer: Peer) {
    switch status {
    case .contentTooLarge, .headerFieldsTooLarge, .uriTooLong: note(.tooLarge, peer)
    case .requestTimeout: note(.timeout, peer)
    case .serviceUnavailable: note(.unfinishedBytes, peer)
    default: note(.malformed, peer)
    }
  }
}
