import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

extension FaultTests {
  /// souphttpsrc makes a session for each track, and that of GStreamer 1.22 loses 48 bytes at its end.
  @Test func sessionsLeaveNothingBehind() throws {
    let server = MediaServer()
    let recorder = Recorder("null")
    recorder.start(1, server.uri("/404"))
    #expect(recorder.failure(1, 3)?.kind == .notFound)
    // Sessions that were never opened end in the same way.
    let type = g_type_from_name("GstSoupSession")
    try #require(type != 0)
    func makeSessions(_ count: Int) throws {
      for _ in 0..<count { g_object_unref(try #require(g_object_new_with_properties(type, 0, nil, nil))) }
    }
    try makeSessions(100)
    let before = Int(mallinfo2().uordblks)
    try makeSessions(20_000)
    #expect(Int(mallinfo2().uordblks) - before < 200_000)
  }
}
