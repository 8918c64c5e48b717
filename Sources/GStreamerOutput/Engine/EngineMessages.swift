import CGStreamer
import Player

/// GStreamer's messages on the bus.
extension Engine {
  /// The messages that are read from a track's pipeline.
  static let messagesOfTracks = MessageBus.Choice(
    ofElements: [GST_MESSAGE_ERROR, GST_MESSAGE_ELEMENT, GST_MESSAGE_TAG, GST_MESSAGE_DURATION_CHANGED],
    refusals: true)
  /// The messages that are read from the device's pipeline.
  static let messagesOfDevice = MessageBus.Choice(
    ofElements: [GST_MESSAGE_ERROR, GST_MESSAGE_CLOCK_LOST],
    ofPipeline: [GST_MESSAGE_EOS, GST_MESSAGE_STATE_CHANGED, GST_MESSAGE_ASYNC_DONE])

  func handle(_ message: UnsafeMutablePointer<GstMessage>) {
    guard let source = message.pointee.src else { return }
    if let device, device.owns(source) {
      handleDevice(message, device)
    } else if let track = tracks.first(where: { $0.owns(source) }) {
      handleTrack(message, track)
    }
  }

  private func handleDevice(_ message: UnsafeMutablePointer<GstMessage>, _ device: Device) {
    switch message.pointee.type {
    case GST_MESSAGE_ERROR:
      let report = ErrorReport(message)
      let words = report.text.withoutPeriod
      deviceFailed(
        report.isFormat ? "it doesn't take the format (\(words))" : words, report.deviceFault)
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
    case GST_MESSAGE_NEED_CONTEXT:
      guard let address = RefusedAddress.address(in: message) else { return }
      trackFailed(track, .leads(redacted(uri: track.media.uri), to: address))
    case GST_MESSAGE_ELEMENT: handleElement(message, track)
    case GST_MESSAGE_TAG:
      var list: UnsafeMutablePointer<GstTagList>?
      gst_message_parse_tag(message, &list)
      guard let list else { return }
      defer { gst_tag_list_unref(list) }
      let before = track.information
      guard track.information.merge(list) else { return }
      if before.readRate != track.information.readRate, track.state.hasPushed {
        readOn(track)
      }
      guard track === heard, track.state.format != nil else { return }
      if before.tags != track.information.tags { emit(.tags(track.id, track.information.tags)) }
      if before.bitRate != track.information.bitRate { emitDetails(track) }
    case GST_MESSAGE_DURATION_CHANGED:
      track.inquire()
      if track === heard, track.state.format != nil { emitExtent(track) }
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
      answered(track)
      readRawIfTold(track)
    }
  }

  /// Reads `track` as raw samples if the server's answer says so.
  ///
  /// Raw samples can't be told from noise, or from a video that they resemble by chance. So the header, which comes
  /// before the first of them, decides.
  private func readRawIfTold(_ track: Track) {
    guard !track.isRaw, track.state.format == nil, (200..<300).contains(track.information.httpStatus),
      let raw = RawPCM(contentType: track.information.contentType)
    else { return }
    replace(track, uri: track.uri, rawPCM: raw)
  }

  private func trackError(_ report: ErrorReport, _ track: Track) {
    // The source stops for the reason that it has reported already.
    if report.isFromSource, track.state.failure != nil {
      track.carryOn()
      return
    }
    if track.location.isNetwork, !track.state.hasPushed, track.redirects < configuration.maximumRedirects {
      do throws(PlaybackFailure) {
        if let target = try report.redirectTarget(from: track.uri, track.information) {
          track.redirects += 1
          replace(track, uri: target, rawPCM: nil)
          return
        }
      } catch {
        trackFailed(track, error)
        return
      }
    }
    if report.isRangeRefused, isFirstRefusal(track) { return readWithoutRanges(track) }
    if tryNextVariant(track) { return }
    // Nothing of it has been heard yet, so what has come is worthless: Play asks the server again.
    if track === prepared { return dropPrepared() }
    if let fault = CertificateFault.last(of: track.uri) { track.information.certificateFault = fault }
    // What has come so far answered other requests.
    if report.isFromPart, track.listeners.parts.awaitsAnswer { track.information.httpStatus = 0 }
    let hasNoAnswer = report.isNoAnswer && track.information.httpStatus == 0
    if report.isRangeRefused || hasNoAnswer, track === heard, phase == .buffering || phase == .loading,
      plan.server.isSilent(at: .now)
    {
      trackFailed(track, timeOut(track))
      return
    }
    let failure = report.failure(track)
    if report.isFromSource, playsOn(track) {
      track.state.breaksOff(failure)
      track.carryOn()
      logger.info("\(redacted(uri: track.media.uri)) broke off; the part that has arrived is still played.")
    } else {
      trackFailed(track, failure)
    }
  }

  /// Whether the server promised ranges, and the first request for one shows that it has none.
  private func isFirstRefusal(_ track: Track) -> Bool {
    track === heard && track.state.joint == nil && track.state.epoch > 0 && !track.state.isRangeRefused
  }

  /// Reads `track` from the beginning, up to the position that it was to go to.
  private func readWithoutRanges(_ track: Track) {
    track.state.refusedRange()
    replace(track, uri: track.uri, rawPCM: nil)
  }

  /// Whether what `track`'s server has sent so far is worth hearing; the end of stream follows the error.
  private func playsOn(_ track: Track) -> Bool {
    track.location.isNetwork && track.progress > 0
      && (track.state.joint != nil || (!track.state.hasPushed && track.state.startPosition == 0))
  }

  /// Restarts `track` from `uri`, at its start position or with another parser, as if nothing of it had come.
  ///
  /// - Parameter variants: what else to try if `uri`, a variant from the track's list, fails; nil if it isn't a
  ///   variant.
  func replace(_ track: Track, uri: String, rawPCM: RawPCM?, variants: [String]? = nil) {
    // Neither a redirect nor a list from the network may lead to local files.
    guard !track.location.isNetwork || TrackSource.isNetwork(uri) else {
      trackFailed(track, .leads(redacted(uri: track.media.uri), to: uri))
      return
    }
    do {
      let again = try makeTrack(id: track.id, media: track.media, uri: uri, rawPCM: rawPCM)
      again.redirects = track.redirects
      again.variants = variants ?? track.variants
      if again.variants != nil { again.listURI = track.listURI }
      again.state.replace(track.state)
      if track === heard {
        heard = again
        feeding = again
        if again.state.startPosition == 0, !again.mayTurnOutRaw { grantTurn(to: again) }
      } else if track === prepared {
        prepared = again
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
