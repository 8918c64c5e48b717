import Player
import Testing

@testable import GStreamerOutput

extension FaultTests {
  /// A station list may name many others, and each that is read takes a thread.
  @Test func fewDocumentsAreReadAtOnce() async {
    let server = MediaServer()
    server["/never"] = .silence
    let refused = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 {
        group.addTask {
          await withCheckedContinuation { done in
            GStreamerOutput.fetchDocument(
              server.uri("/never"), limit: 1000, timeout: .seconds(1), configuration: OutputConfiguration()
            ) { result in
              guard case .failure(let failure) = result else { return done.resume(returning: false) }
              done.resume(returning: failure.kind == .other)
            }
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(refused >= 8)
  }
}
