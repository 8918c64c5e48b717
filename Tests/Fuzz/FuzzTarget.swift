import Foundation

/// One way for bytes of strangers into the program: what is tried out on it, by the tests and by the fuzzer alike.
struct FuzzTarget: Sendable, CustomStringConvertible {
  /// Also the name of its folder in `corpus`.
  let name: String
  /// Longer inputs aren't made up, in bytes.
  let maximumLength: Int
  /// What inputs of this kind are made of.
  let words: [String]
  /// How many mutations a test tries: fewer where each takes its time.
  var rounds = 1500
  /// Throws where the input makes the program say something that can't be right.
  let run: @Sendable ([UInt8]) throws -> Void

  var description: String { name }

  static let all: [FuzzTarget] = [
    .http, .ssdp, .soap, .didl, .gena, .toml, .state, .playlist, .uri, .netlink, .media, .manifest, .boxes,
    .ogg, .flac, .announcement, .description, .reply, .event,
    .response, .scpd, .subscription, .devices, .browse,
    .recording, .shown, .part, .json, .songcast, .reports, .pins, .upload, .zone, .zones,
  ]

  /// The one that the fuzzer is to run.
  static let asked = ProcessInfo.processInfo.environment["VIREO_FUZZ"]
  static var isFuzzing: Bool { asked != nil }

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A promise of the program that an input has broken.
struct BrokenPromise: Error, CustomStringConvertible {
  let description: String
}

func promise(_ isKept: Bool, _ what: @autoclosure () -> String) throws {
  if !isKept { throw BrokenPromise(description: what()) }
}
