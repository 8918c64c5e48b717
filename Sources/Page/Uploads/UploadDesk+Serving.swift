import HTTP
import NIOCore
import Uploads
import UploadsIO

/// Serves `/uploads/KEY`: songs, piece by piece as they are taken, to this speaker and to whoever else plays them.
///
/// Who may connect is the server's matter, and a key can't be guessed. It doesn't hang on what pages may do: the queue plays on.
extension UploadDesk: Responder {
  private static let methods = ["GET", "HEAD"]

  public nonisolated func methods(at path: String) -> [String]? {
    path.hasPrefix(SongAddress.path) ? Self.methods : nil
  }

  public nonisolated func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> Answer? {
    let head = request.head
    guard Self.methods.contains(head.method), methods(at: head.path) != nil else { return nil }
    return assumeIsolated { $0.answer(head, peer, id) }
  }

  private func answer(_ head: RequestHead, _ peer: Peer, _ id: RequestID) -> Answer {
    guard isLoaded else {
      return .complete(HTTPResponse(.serviceUnavailable, fields: [HTTPField("RETRY-AFTER", "1")]))
    }
    guard let key = SongAddress.key(inPath: head.path), let song = shelf.songs[key] else {
      return .complete(HTTPResponse(.notFound, fields: PageFields.security))
    }
    let answer = SongAnswer(to: head, song)
    guard let body = answer.body else {
      return answer.response.length == nil ? .complete(answer.response) : .streaming(answer.response)
    }
    do {
      // The speaker itself plays its songs however many others fetch some.
      if !peer.remote.isLoopback { try readers.take(id, peer.remote) }
    } catch {
      return .complete(HTTPResponse(.serviceUnavailable, fields: [HTTPField("RETRY-AFTER", "5")]))
    }
    use(key)
    sent[id] = Sent(key: key, rest: body)
    files.read(key) { reading in self.later { $0.opened(reading, id) } }
    return .streaming(answer.response)
  }

  private func opened(_ reading: Result<SongFiles.Reading, SongFiles.Failure>, _ id: RequestID) {
    guard let sending = sent[id] else {
      if case .success(let reading) = reading { files.close(reading) }
      return
    }
    switch reading {
    case .success(let reading):
      sent[id]?.reading = reading
      sendNext(id)
    case .failure(let failure):
      logger.warning("the file of a song can't be read in \(files.directory): \(failure)")
      // Somebody has cleared the cache. Anything else may pass, as a lack of descriptors does.
      if failure == .missing {
        shelf.remove(sending.key)
        gone([sending.key])
        note()
      }
      end(id)
    }
  }

  private func sendNext(_ id: RequestID) {
    guard let sending = sent[id], let reading = sending.reading else { return }
    guard !sending.rest.isEmpty else { return end(id) }
    files.read(sending.rest, of: reading) { piece in self.later { $0.read(piece, id) } }
  }

  private func read(_ piece: ByteBuffer?, _ id: RequestID) {
    guard let sending = sent[id] else { return }
    // Shorter than promised: its reader sees that.
    guard let piece else { return end(id) }
    sent[id]?.rest = (sending.rest.lowerBound + piece.readableBytes)..<sending.rest.upperBound
    connections.write(piece, id)
  }

  private func end(_ id: RequestID) {
    forget(id)
    connections.end(id)
  }

  private func forget(_ id: RequestID) {
    readers.leave(id)
    if let reading = sent.removeValue(forKey: id)?.reading { files.close(reading) }
  }

  // MARK: - What becomes of requests

  public nonisolated func received(_ piece: ByteBuffer, isLast: Bool, of id: RequestID) {
    assumeIsolated { $0.take(piece, id) }
  }

  public nonisolated func abandoned(_ id: RequestID) {
    assumeIsolated {
      $0.forget(id)
      $0.left(id)
    }
  }

  public nonisolated func taken(_ id: RequestID) {
    // A piece may be taken before its write has returned.
    assumeIsolated { desk in
      if desk.sent[id] != nil { desk.later { $0.sendNext(id) } }
    }
  }
}
