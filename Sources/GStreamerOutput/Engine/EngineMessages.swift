import CGStreamer
import Player

/// What GStreamer reports on the bus.
extension Engine {
  /// What is read of a track's pipeline.
  static let messagesOfTracks = MessageBus.Choice(
    ofElements: [GST_MESSAGE_ERROR, GST_MESSAGE_ELEMENT, GST_MESSAGE_TAG, GST_MESSAGE_DURATION_CHANGED])
  /// What is read of the device's pipeline.
  static let messagesOfDevice = MessageBus.Choice(
    ofElements: [GST_MESSAGE_ERROR, GST_MESSAGE_CLOCK_LOST],
    ofPipeline: [GST_MESSAGE_EOS, GST_MESSAGE_STATE_CHANGED, GST_MESSAGE_ASYNC_DONE])

  func handle(_ message: UnsafeMutablePointer<GstMessage>) {
    guard let source = message.pointee.src else { return }
    if let device, device.owns(source) {
      handleDevice(message, device)
    } else if let track = [heard, upcoming, feeding].compactMap(\.self).first(where: { $0.owns(source) }) {
      handleTrack(message, track)
    }
  }

  private func handleDevice(_ message: UnsafeMutablePointer<GstMessage>, _ device: Device) {
    switch message.pointee.type {
    case GST_MESSAGE_ERROR:
      let report = ErrorReport(message)
      let words = report.text.hasSuffix(".") ? String(report.text.dropLast()) : report.text
      deviceFailed(report.isFormat ? "it doesn't take the format (\(words))" : words)
    case GST_MESSAGE_EOS: if isEndSent { deviceEnded() }
    case GST_MESSAGE_STATE_CHANGED: checkRunning()
    case GST_MESSAGE_ASYNC_DONE:
      checkPaused()
      checkRunning()
    case GST_MESSAGE_CLOCK_LOST: device.restartClock(paused: isPaused)
    default: break
    }
  }

  private func handleTrack(_ message: UnsafeMutablePointer<GstMessage>, _ track: Track) {
    switch message.pointee.type {
    case GST_MESSAGE_ERROR: trackError(ErrorReport(message), track)
    case GST_MESSAGE_ELEMENT: handleElement(message, track)
    case GST_MESSAGE_TAG:
      var list: UnsafeMutablePointer<GstTagList>?
      gst_message_parse_tag(message, &list)
      guard let list else { return }
      defer { gst_tag_list_unref(list) }
      let before = track.information
      guard track.information.merge(list), track === heard, track.format != nil else { return }
      if before.tags != track.information.tags { emit(.tags(track.id, track.information.tags)) }
      if before.bitRate != track.information.bitRate {
        track.readOn(ahead: configuration.buffer)
        emitDetails(track)
      }
    case GST_MESSAGE_DURATION_CHANGED:
      track.inquire()
      if track === heard, track.format != nil { emitExtent(track) }
    default: break
    }
  }

  private func handleElement(_ message: UnsafeMutablePointer<GstMessage>, _ track: Track) {
    guard let structure = gst_message_get_structure(message),
      let name = gst_structure_get_name(structure).map({ String(cString: $0) })
    else { return }
    if name == "missing-plugin" {
      track.information.missing = MissingPlugin(structure)
    } else if name == "http-headers" {
      track.information.readHeaders(structure)
    }
  }

  private func trackError(_ report: ErrorReport, _ track: Track) {
    // The source stops for the reason that it has told already.
    if report.isFromSource, track.failure != nil {
      track.carryOn()
      return
    }
    // Raw samples can't be told from noise; who announces them in the answer's header only is believed.
    if report.isUnknownType, track.location.isNetwork, !track.hasTriedRaw,
      let raw = RawPCM(contentType: track.information.contentType)
    {
      replace(track, uri: track.uri, rawPCM: raw, mayJump: true)
      return
    }
    if track.location.isNetwork, !track.hasPushed, track.redirects < configuration.maximumRedirects {
      do throws(PlaybackFailure) {
        if let target = try report.redirectTarget(from: track.uri, track.information) {
          track.redirects += 1
          replace(track, uri: target, rawPCM: nil, mayJump: true)
          return
        }
      } catch {
        trackFailed(track, error)
        return
      }
    }
    if report.isRangeRefused, track.mayJump, track.media.isOgg, !track.hasPushed {
      replace(track, uri: track.uri, rawPCM: nil, mayJump: false)
      return
    }
    let hasNoAnswer = report.isNoAnswer && track.information.httpStatus == 0
    if report.isRangeRefused || hasNoAnswer, track === heard, phase == .buffering || phase == .loading,
      MonotonicTime.now.since(lastProgress) * 2 > configuration.networkTimeout.wholeNanosecondsWord
    {
      trackFailed(track, timeOut(track))
      return
    }
    let failure = report.failure(track)
    if report.isFromSource, playsOn(track) {
      track.failure = failure
      track.carryOn()
      logger.info("\(redacted(uri: track.media.uri)) breaks off; what has come of it is played.")
    } else {
      trackFailed(track, failure)
    }
  }

  /// Whether what `track`'s server has sent so far is worth hearing; its end follows the error.
  private func playsOn(_ track: Track) -> Bool {
    track.location.isNetwork && track.progress > 0
      && (track.joint != nil || (!track.hasPushed && track.startPosition == 0))
  }

  private func replace(_ track: Track, uri: String, rawPCM: RawPCM?, mayJump: Bool) {
    do {
      let again = try makeTrack(id: track.id, media: track.media, uri: uri, rawPCM: rawPCM, mayJump: mayJump)
      again.hasTriedRaw = rawPCM != nil
      again.redirects = track.redirects
      again.startPosition = track.startPosition
      if track === heard {
        heard = again
        feeding = again
        if again.startPosition == 0 { grantTurn(to: again) }
      } else {
        upcoming = again
      }
      track.dispose()
      again.run()
    } catch {
      trackFailed(track, error)
    }
  }
}
