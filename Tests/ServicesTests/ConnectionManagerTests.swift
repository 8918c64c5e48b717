import Player
import Testing

@testable import Services

@Suite struct ConnectionManagerTests {
  private let speaker = Speaker()

  @Test func showsWhatTheOutputDecodes() throws {
    try speaker.player.assumeIsolated {
      try $0.perform(.setMIMETypes(["audio/flac", "audio/L16;rate=44100,x"]))
    }
    let info = try speaker.call(speaker.connectionManager, "GetProtocolInfo")
    #expect(info == ["Source": "", "Sink": "http-get:*:audio/flac:*,http-get:*:audio/L16;rate=44100\\,x:*"])
    #expect(speaker.evented(speaker.connectionManager, "SinkProtocolInfo") == info["Sink"])
    #expect(
      speaker.connectionManager.eventedValues().map(\.name) == [
        "SourceProtocolInfo", "SinkProtocolInfo", "CurrentConnectionIDs",
      ])
  }

  @Test func theOneConnection() throws {
    #expect(
      try speaker.call(speaker.connectionManager, "GetCurrentConnectionIDs") == ["ConnectionIDs": "0"])
    let info = try speaker.call(speaker.connectionManager, "GetCurrentConnectionInfo", ["ConnectionID": "0"])
    #expect(
      info == [
        "RcsID": "0", "AVTransportID": "0", "ProtocolInfo": "", "PeerConnectionManager": "",
        "PeerConnectionID": "-1", "Direction": "Input", "Status": "OK",
      ])
    #expect(
      try speaker.fault(speaker.connectionManager, "GetCurrentConnectionInfo", ["ConnectionID": "1"]) == 706)
  }
}
