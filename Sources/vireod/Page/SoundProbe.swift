import Kept
import NIOCore
import Page
import Player
import Services
import Synchronization
import Text

/// Looks what is at an address by reading its beginning, as for a list of stations.
struct SoundProbe: AddressProbe {
  let sound: any SoundSystem
  /// What counts the patience.
  let eventLoop: any EventLoop

  /// How long somebody waits for the word. A station sends no faster than it plays, so it would never come to the longest list.
  private static let patience = TimeAmount.seconds(4)

  func probe(_ address: String, ended: @escaping @Sendable () -> Void) async -> API.AddressCheck {
    let result: Result<[UInt8], PlaybackFailure>? = await withCheckedContinuation { continuation in
      let waiting = Mutex(Optional(continuation))
      let answer = { @Sendable (result: Result<[UInt8], PlaybackFailure>?) in
        let first = waiting.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }
        first?.resume(returning: result)
      }
      let timer = eventLoop.scheduleTask(in: Self.patience) { answer(nil) }
      sound.fetch(address) {
        timer.cancel()
        ended()
        answer($0)
      }
    }
    guard let result else {
      return API.AddressCheck(
        isPlayable: true,
        detail: "It doesn't end, as stations don't, or its server is slow; playing shows what it is.")
    }
    return Self.check(result, address: address)
  }

  static func check(_ result: Result<[UInt8], PlaybackFailure>, address: String) -> API.AddressCheck {
    switch result {
    case .failure(let failure) where failure.kind == .unsupportedFormat:
      // Longer than any list: sound, or a stream without an end.
      API.AddressCheck(isPlayable: true, detail: "There is a stream, or a file, that isn't a list.")
    case .failure(let failure): API.AddressCheck(isPlayable: false, detail: failure.message)
    case .success(let bytes):
      switch PlaylistDocument.read(bytes, from: address) {
      case .tracks(let tracks):
        API.AddressCheck(
          isPlayable: !tracks.isEmpty,
          detail: tracks.isEmpty
            ? "There is an empty list."
            : "There is a list of \(counted(tracks.count, "address", "addresses")).",
          title: tracks.first.map { ShownTrack($0).title })
      case .stream, .unknown:
        API.AddressCheck(
          isPlayable: true, detail: "There is something that isn't a list; playing shows what it is.")
      }
    }
  }
}
