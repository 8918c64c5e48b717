import Foundation

/// The inputs that are kept, in `corpus/TARGET`.
enum Corpus {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "corpus")

  static func files(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: target.name)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map { name in
      (name, Array(try Data(contentsOf: folder.appending(path: name))))
    }
  }
}
