import ControlPoint
import Text

/// Why a renderer can't be told something.
package enum RendererFailure: Error, Sendable, Hashable {
  /// A call has failed.
  case call(ActionFailure)
  /// It has no such service.
  case lacks(RendererService)
  /// It can't do that, in words that follow its name.
  case impossible(String)
  /// Its queue has this many tracks and takes no more.
  case full(Int)
  /// Nothing of what it was to play is of a kind that it plays, or at an address that it reaches: the reasons.
  case nothingToPlay([String])

  /// In words, after the renderer's name.
  ///
  /// - Parameter name: the renderer's.
  package func words(_ name: String) -> String {
    switch self {
    case .call(let failure): failure.words(name)
    case .lacks(let service):
      "\(name) has no \(service.word)\(service.isOpenHome ? ": only renderers that speak OpenHome do that" : "")"
    case .impossible(let reason): "\(name): \(reason)"
    case .full(let count): "the queue of \(name) is full: it has \(counted(count, "track"))"
    case .nothingToPlay: "there is nothing that \(name) can play"
    }
  }
}

extension ActionFailure {
  /// In words.
  ///
  /// - Parameter name: the device's.
  package func words(_ name: String) -> String {
    switch self {
    case .fault(let error) where error.code == 606:
      "\(name) doesn't allow that: \(error.code) \(error.description)"
    case .fault(let error): "\(name) refused: \(error.code) \(error.description)"
    case .status(401), .status(403): "\(name) doesn't allow this machine to do that"
    case .status(let status): "\(name) answered with HTTP status \(status)"
    case .timeout: "\(name) didn't answer in time"
    case .unreachable: "\(name) can't be reached"
    case .malformed: "\(name) answered with something that can't be read"
    case .tooLarge: "\(name) answered with more than is read"
    case .cancelled: "interrupted"
    }
  }
}

extension RendererService {
  /// `Playlist`
  package var word: String { rawValue.split(separator: ":").last.map(String.init) ?? rawValue }
  package var isOpenHome: Bool { rawValue.hasPrefix("urn:av-openhome-org:") }
}

extension ResourceRefusal {
  /// Why, in words.
  package var words: String {
    switch self {
    case .noResource: "the server names no address for it"
    case .unreachable(let addresses):
      "the renderer can't reach \(addresses.first ?? "its address")"
    case .noFormat(let offered): "the renderer doesn't play \(offered.joined(separator: ", "))"
    }
  }
}
