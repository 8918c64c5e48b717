import CLinux
import NIOCore

/// What connections ask of their host.
extension DeviceHost {
  /// Decides about a new connection, and closes another one for it when that is needed.
  func admit(_ channel: any Channel, _ peer: Peer) -> ConnectionTable.Admission {
    if let reason = access.refusal(remote: peer.remote, local: peer.local) {
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
    // The allocator would keep what a heap of large unfinished requests took.
    guard heldMuch, connections.heldBytes == 0, connections.owedBytes == 0 else { return }
    heldMuch = false
    eventLoop.execute { _ = clinux_trim_heap() }
  }

  func enter(_ phase: ConnectionTable.Phase, connection: Int) {
    connections.enter(phase, connection)
  }

  /// Notes the bytes of an unfinished request; true when `connection` itself has to give up for it.
  func hold(_ bytes: Int, by connection: Int) -> Bool {
    let victim = connections.hold(bytes, connection)
    heldMuch = heldMuch || connections.heldBytes > configuration.http.unfinishedBytes / 2
    guard let victim else { return false }
    if victim == connection { return true }
    close(victim, .unfinishedBytes)
    return false
  }

  /// Notes the bytes of responses that the peer of `connection` hasn't taken yet, and closes who lets too much wait.
  func owe(_ bytes: Int, to connection: Int) {
    let victim = connections.owe(bytes, connection)
    heldMuch = heldMuch || connections.owedBytes > configuration.http.unfinishedBytes
    if let victim { close(victim, .untakenBytes) }
  }

  private func close(_ victim: Int, _ reason: Refusal) {
    connections.remove(victim)
    guard let (channel, peer) = channels.removeValue(forKey: victim) else { return }
    note(reason, peer)
    channel.close(promise: nil)
  }

  /// A request was refused before it was one.
  func refused(_ status: HTTPStatus, from peer: Peer) {
    switch status {
    case .contentTooLarge, .headerFieldsTooLarge, .uriTooLong: note(.tooLarge, peer)
    case .requestTimeout: note(.timeout, peer)
    case .serviceUnavailable: note(.unfinishedBytes, peer)
    default: note(.malformed, peer)
    }
  }
}
