import Testing

@testable import ServiceXMLGenerator

@Suite struct SwiftNameTests {
  @Test(arguments: [
    ("CurrentURIMetaData", "currentURIMetaData"), ("AVTransportURI", "avTransportURI"), ("URI", "uri"),
    ("PAUSED_PLAYBACK", "pausedPlayback"), ("Master", "master"), ("LF", "lf"), ("1", "_1"),
    ("Repeat", "`repeat`"),
    ("VolumeDB", "volumeDB"), ("TAPE-INDEX", "tapeIndex"),
  ])
  func lowerCamel(_ name: String, _ swift: String) {
    #expect(SwiftName.lowerCamel(name) == swift)
  }

  @Test func labelsNeedNoQuotes() {
    #expect(SwiftName.label("Repeat") == "repeat")
    #expect(SwiftName.label("StreamId") == "streamId")
  }

  @Test func typesDropTheArgumentPrefix() {
    #expect(SwiftName.type("A_ARG_TYPE_SeekMode") == "SeekMode")
    #expect(SwiftName.type("TransportState") == "TransportState")
  }
}
