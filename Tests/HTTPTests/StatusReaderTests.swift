import NIOCore
import Testing

@testable import HTTP

/// What a subscriber answers.
@Suite struct StatusReaderTests {
  private func read(_ text: String) -> StatusReader.Result {
    var reader = StatusReader()
    return reader.read(ByteBuffer(string: text))
  }

  @Test func theStatusIsThereAtTheEndOfTheHead() {
    #expect(read("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n") == .status(200))
    #expect(read("HTTP/1.0 412 No\n\n") == .status(412))
    #expect(read("HTTP/1.1 200 OK\r\nServer: x\r\n") == .needMore)
    #expect(read("SSH-2.0-x\r\n\r\n") == .failure)
  }

  @Test func anEndlessAnswerIsNotRead() {
    let much = String(repeating: "x", count: StatusReader.longestHead)
    #expect(read(much) == .failure)
    #expect(read("HTTP/1.1 200 OK\r\n" + much) == .status(200))
    #expect(read("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 1000)) == .status(200))
  }
}
