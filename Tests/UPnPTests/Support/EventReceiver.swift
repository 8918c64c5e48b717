import Foundation
import Glibc

/// A port of 127.0.0.1 where nobody listens, and nobody else can as long as this lives.
final class ClosedPort: Sendable {
  private let descriptor: Int32
  let number: Int

  init() throws {
    (descriptor, number) = try RawSocket.bound()
  }

  deinit { close(descriptor) }
}

/// Listens on 127.0.0.1 for event messages.
final class EventReceiver: @unchecked Sendable {
  // Safe: the descriptor never changes, everything else is on the stack.
  private let descriptor: Int32
  let port: Int

  init() throws {
    (descriptor, port) = try RawSocket.bound()
    guard listen(descriptor, 1024) == 0 else { throw SocketFailure(call: "listen", number: errno) }
    setTimeout(milliseconds: 10_000)
  }

  deinit { close(descriptor) }

  func url(_ path: String = "/evt") -> String { "<http://127.0.0.1:\(port)\(path)>" }

  private func setTimeout(milliseconds: Int) {
    var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// The next connection; nil when none comes in time.
  func accept(within milliseconds: Int = 10_000) -> RawSocket? {
    setTimeout(milliseconds: milliseconds)
    let connection = Glibc.accept(descriptor, nil, nil)
    return connection >= 0 ? RawSocket(descriptor: connection) : nil
  }

  /// Takes one message and answers it.
  func event(within milliseconds: Int = 10_000, status: String = "200 OK") -> Message? {
    guard let connection = accept(within: milliseconds), let message = connection.message() else {
      return nil
    }
    connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    _ = connection.endsInTime()
    return message
  }
}
