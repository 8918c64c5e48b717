import Foundation
import Logging
import Testing

@testable import PlayerStore

/// The fuzzer only gets to what reads and writes a playlist from states that are taken, not set aside.
@Suite(.disabled(if: FuzzTarget.isFuzzing, "the fuzzer runs")) struct StateCorpusTests {
  @Test(arguments: [
    "database-full": [5, 3, 1], "database-replayed": [5, 1, 3], "database-rollback-journal": [5, 1, 3],
  ])
  func soundStatesAreTaken(name: String, ids: [UInt32]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "vireo-corpus-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let directory = StoreDirectory(path: folder.path())
    try FileManager.default.copyItem(
      atPath: Corpus.folder.appending(path: "state/\(name)").path(), toPath: directory.file)
    var writer = StoreWriter(
      directory: directory, logger: Logger(label: "corpus") { _ in SwiftLogNoOpLogHandler() })
    #expect(writer.open().bootID == 7)
    #expect(writer.load()?.tracks.ids == ids)
    writer.close()
  }
}
