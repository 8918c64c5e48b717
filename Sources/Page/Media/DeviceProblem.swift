import ControlPoint
import Renderers

extension Problem {
  /// What a failed request to another device means for whoever asked for it.
  ///
  /// - Parameters:
  ///   - name: the device's.
  ///   - canConflict: whether a refusal is an answer of its own (409), rather than a device that doesn't work (502).
  init(_ failure: ActionFailure, from name: String, canConflict: Bool = false) {
    let words = failure.words(name) + "."
    guard let code = failure.code else {
      self = .badGateway(words)
      return
    }
    if canConflict {
      self = .conflict(words, type: "device-refused")
    } else if code == 701 || code == 710 {
      self = .notFound("“\(name)” has no such object (any more).")
    } else {
      self.init("device-refused", .badGateway, words)
    }
    upnpCode = (400...999).contains(code) ? code : nil
  }

  init(_ failure: RendererFailure, from name: String) {
    switch failure {
    case .call(let failure): self.init(failure, from: name, canConflict: true)
    case .lacks, .impossible, .full:
      self = .conflict(failure.words(name) + ".", type: "device-refused")
    case .nothingToPlay(let reasons):
      self.init(
        "not-playable", .unprocessableContent,
        ([failure.words(name)] + reasons.prefix(3)).joined(separator: "; ") + ".")
    }
  }
}
