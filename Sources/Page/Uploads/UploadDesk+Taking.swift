import HTTP
import NIOCore
import Network
import UPnP
import Uploads
import UploadsIO

/// The way of a song from its connection to the disk.
extension UploadDesk {
  /// Decides by the head of a request whether a song may come; if so, the disk is asked next.
  func claim(
    _ name: String, _ how: API.AddUploadHow?, batch: String?, place: Int?, _ context: APIContext
  ) -> Reply<Answer> {
    guard isLoaded else {
      return .problem(.unavailable("starting", "The speaker is starting.", retryAfter: 1))
    }
    guard let bytes = context.head.bodyBytes else {
      return .problem(
        Problem(
          "length-required", .lengthRequired, "The request has to say how long the file is: Content-Length."))
    }
    guard bytes > 0 else { return .problem(Problem("empty", .unprocessableContent, "The file is empty.")) }
    guard shelf.mayHold(bytes) else { return .problem(.tooLarge(bytes, limit: shelf.limit)) }
    do throws(UploadPlaces<RequestID, IPAddress>.Refusal) {
      try places.take(context.id, context.peer.remote)
    } catch {
      return .problem(Problem(error))
    }
    let key = UploadedSong.newKey(using: &random)
    let song = UploadedSong(
      key: key, name: UploadedSong.name(name), type: "", bytes: bytes, added: Self.now, used: Self.now)
    let batch = batch ?? key
    coming[context.id] = Coming(
      song: song, how: how ?? .keep, batch: batch, base: base(for: context.peer), caller: context.action)
    order.begin(key, batch: batch, place: place ?? 0)
    let id = context.id
    files.measure { free in self.later { $0.measured(free, id) } }
    note()
    return .value(.later)
  }

  /// The address of this server that goes into the queue: the one that the phone has reached, since it is on the network of
  /// those who may fetch the song. One that only this host can reach is no use to others.
  func base(for peer: Peer) -> String {
    let isUsable = !peer.local.isLoopback && !peer.local.needsScope
    let announced = announced()
    if !isUsable, !announced.isEmpty { return announced }
    return "http://\(peer.local.urlHost):\(peer.localPort)"
  }

  private func measured(_ free: Result<Int, SongFiles.Failure>, _ id: RequestID) {
    guard let song = coming[id]?.song else { return }
    switch free {
    case .failure(let failure): fail(id, failure)
    case .success(let free):
      coming[id]?.free = free
      do throws(UploadShelf.Refusal) {
        try shelf.check(bytes: song.bytes, free: free, needed: busy)
      } catch {
        return fail(id, Problem(error, bytes: song.bytes, limit: shelf.limit))
      }
      files.begin(song.key) { failure in self.later { $0.opened(failure, id) } }
    }
  }

  /// Lets others go for a song; returns the problem when there is no room all the same.
  private func makeRoom(for upload: Coming) -> Problem? {
    let song = upload.song
    do throws(UploadShelf.Refusal) {
      gone(try shelf.admit(song.key, bytes: song.bytes, free: upload.free, needed: busy))
    } catch {
      return Problem(error, bytes: song.bytes, limit: shelf.limit)
    }
    return nil
  }

  private func opened(_ failure: SongFiles.Failure?, _ id: RequestID) {
    guard coming[id] != nil else { return }
    if let failure { return fail(id, failure) }
    coming[id]?.phase = .writing
    guard let held = coming[id]?.held else { return connections.want(Self.pieces, id) }
    coming[id]?.held = nil
    take(held, id)
  }

  /// Takes a piece of a body.
  func take(_ piece: ByteBuffer, _ id: RequestID) {
    guard var upload = coming[id] else { return }
    guard upload.phase == .writing else {
      coming[id]?.held = piece
      return
    }
    upload.arrived += piece.readableBytes
    let isLast = upload.arrived >= upload.song.bytes
    let wasKnown = upload.beginning == nil
    var problem = upload.look(at: piece, isLast: isLast, played: player.currentState.mimeTypes)
    // None goes for what turns out to be no song.
    if problem == nil, !wasKnown, upload.beginning == nil { problem = makeRoom(for: upload) }
    if let problem {
      coming[id] = upload
      return fail(id, problem)
    }
    if isLast { upload.phase = .finishing }
    coming[id] = upload
    let key = upload.song.key
    files.write(piece, of: key) { failure in self.later { $0.wrote(failure, id) } }
    guard isLast else { return }
    files.finish(upload.song) { failure in self.later { $0.finished(failure, id) } }
  }

  private func wrote(_ failure: SongFiles.Failure?, _ id: RequestID) {
    guard let phase = coming[id]?.phase else { return }
    if let failure { return fail(id, failure) }
    if phase == .writing { connections.want(1, id) }
  }

  private func finished(_ failure: SongFiles.Failure?, _ id: RequestID) {
    guard let upload = coming[id] else { return }
    if let failure { return fail(id, failure) }
    coming[id] = nil
    places.leave(id)
    self.failure = nil
    let song = upload.song
    shelf.add(song)
    own.add(song.key)
    logger.info("keeps a song from \(upload.caller.remoteAddress): \(song.bytes) bytes of \(song.type)")
    var result = API.Upload(key: song.key, uri: upload.base + song.path, type: song.type, state: .kept)
    if upload.how == .keep {
      order.failed(song.key, batch: upload.batch)
    } else {
      waiting[song.key] = upload
      order.arrived(song.key, batch: upload.batch)
    }
    let problems = queueWaiting(upload.batch)
    if upload.how != .keep {
      result.state = waiting[song.key] != nil ? .waiting : problems[song.key] == nil ? .queued : .kept
      result.detail = problems[song.key]?.detail
    }
    connections.complete(
      id,
      HTTPResponse(
        .ok, contentType: "application/json", body: ByteBuffer(bytes: result.json),
        fields: PageFields.security + [PageFields.uncached]))
    note()
  }

  /// Lets those of a batch join the queue whose turn it is, the rest of many in later turns of the event loop; returns the
  /// problems with some of them.
  private func queueWaiting(_ batch: String) -> [String: Problem] {
    var problems: [String: Problem] = [:]
    for _ in 0..<Self.joinsPerTurn {
      guard let turn = order.next(in: batch), let upload = waiting.removeValue(forKey: turn.key) else {
        return problems
      }
      switch queue.join(upload, behind: turn.earlier) {
      case .success(let id): order.queued(turn.key, batch: batch, as: id)
      case .failure(let problem):
        logger.info("a song from a phone is kept, but didn't join the queue: \(problem.detail)")
        problems[turn.key] = problem
        order.failed(turn.key, batch: batch)
      }
    }
    later { _ = $0.queueWaiting(batch) }
    return problems
  }

  // MARK: - What goes wrong

  private func fail(_ id: RequestID, _ failure: SongFiles.Failure) {
    if failure != self.failure {
      logger.warning("a song can't be kept in \(files.directory): \(failure)")
      self.failure = failure == .noSpace ? nil : failure
    }
    fail(id, Problem(failure))
  }

  private func fail(_ id: RequestID, _ problem: Problem) {
    drop(id)
    connections.complete(id, problem.response)
  }

  /// Whoever sent a song has gone.
  func left(_ id: RequestID) {
    // What has come whole is kept.
    guard let phase = coming[id]?.phase, phase != .finishing else { return }
    drop(id)
  }

  private func drop(_ id: RequestID) {
    guard let upload = coming.removeValue(forKey: id) else { return }
    places.leave(id)
    shelf.giveUp(upload.song.key)
    files.discard(upload.song.key)
    order.failed(upload.song.key, batch: upload.batch)
    _ = queueWaiting(upload.batch)
    note()
  }
}

extension UploadDesk.Coming {
  /// Looks what it is, as soon as enough has come; returns the problem with it.
  fileprivate mutating func look(at piece: ByteBuffer, isLast: Bool, played: [String]) -> Problem? {
    guard var known = beginning else { return nil }
    known += piece.readableBytesView.prefix(AudioBeginning.length - known.count)
    beginning = known
    guard known.count >= AudioBeginning.length || isLast else { return nil }
    beginning = nil
    let type = SoundType(known, played: played)
    if case .playable(let name) = type { song.type = name }
    return Problem(type)
  }
}

extension Problem {
  /// The answer that closes a connection whose body isn't wanted.
  fileprivate var response: HTTPResponse {
    HTTPResponse(
      status, contentType: "application/problem+json", body: ByteBuffer(bytes: json),
      fields: PageFields.security + [PageFields.uncached])
  }
}
