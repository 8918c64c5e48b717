import NIOCore

/// What becomes of the body of a request, as its head decides.
enum BodyDecision {
  /// It is kept, within the limits, and the request answered when it is complete.
  case keep
  /// It isn't read.
  case refuse(HTTPResponse)
  /// It is passed on in pieces.
  case take
}

/// Bodies that are passed on in pieces: as many as are wanted are read, so that whoever takes them sets the pace.
extension Connection {
  mutating func take(_ form: ResponseForm, expectsContinue: Bool, _ now: NIODeadline) -> Action {
    requests += 1
    served = 0
    arrived = 0
    wait(.body, limits.bodySeconds, now)
    guard parser.takeBody() else {
      state = .ending
      wait(.response, limits.responseSeconds, now)
      return .giveUp(.refusal(.lengthRequired), form)
    }
    state = .taking(form, wanted: 0, awaitsContinue: expectsContinue)
    // Nothing of it is kept here.
    return .noteUnfinished(0)
  }

  /// Wants further pieces.
  mutating func want(_ pieces: Int) -> Action? {
    guard case .taking(let form, let wanted, let awaitsContinue) = state else { return nil }
    state = .taking(form, wanted: wanted + pieces, awaitsContinue: false)
    return awaitsContinue ? .sendContinue : nil
  }

  /// The next piece, if one is wanted and has come.
  mutating func nextPiece(_ now: NIODeadline) -> Action? {
    guard case .taking(let form, let wanted, let awaitsContinue) = state,
      let (piece, isLast) = parser.nextPiece(&inbox)
    else { return nil }
    // Or the next bytes would be added to a copy of what is passed on.
    if inbox.readableBytes == 0 { inbox = ByteBuffer() }
    arrived += piece.readableBytes
    if isLast {
      state = .pending(form)
      wait(.answer, limits.answerSeconds, now)
    } else {
      state = .taking(form, wanted: wanted - 1, awaitsContinue: awaitsContinue)
      if arrived >= limits.bodyProgress {
        arrived = 0
        wait(.body, limits.bodySeconds, now)
      }
    }
    return .deliver(piece, isLast: isLast)
  }
}
