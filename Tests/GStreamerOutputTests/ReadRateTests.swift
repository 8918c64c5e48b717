import CGStreamer
import Testing

@testable import GStreamerOutput

/// The bit rate that reading ahead reckons with.
@Suite struct ReadRateTests {
  private func merge(_ text: String, into information: inout TrackInformation) throws -> Bool {
    GStreamerLibrary.prepare()
    let list = try #require(gst_tag_list_new_from_string("taglist, " + text))
    defer { gst_tag_list_unref(list) }
    return information.merge(TagUpdate(list, pictures: nil))
  }

  /// A FLAC file that begins quietly.
  @Test func itGrowsWithTheAverage() throws {
    var information = TrackInformation()
    #expect(try merge("bitrate=(uint)200000", into: &information))
    #expect(information.readRate == 200_000)
    #expect(try merge("bitrate=(uint)900000", into: &information))
    #expect(information.readRate == 900_000)
    #expect(try !merge("bitrate=(uint)500000", into: &information))
    #expect(information.readRate == 900_000)
    #expect(information.bitRate == 200_000, "what is told doesn't creep")
  }

  @Test func whatTheFileSaysOfItselfCounts() throws {
    var information = TrackInformation()
    #expect(try merge("nominal-bitrate=(uint)128000", into: &information))
    #expect(information.readRate == 128_000)
  }
}
