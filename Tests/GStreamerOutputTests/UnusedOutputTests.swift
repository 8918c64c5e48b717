import CGStreamer
import Logging
import Testing

@testable import GStreamerOutput

@Suite struct UnusedOutputTests {
  /// Loading GStreamer takes a while, the first time a minute: not for an output that only leaves.
  @Test func whatNeverPlayedLeavesWithoutLoadingGStreamer() async {
    await #expect(processExitsWith: .success) {
      let output = GStreamerOutput(
        configuration: OutputConfiguration(), logger: Logger(label: "test"), onEvent: { _ in })
      #expect(output.shutdown(within: .seconds(60)))
      #expect(gst_is_initialized() == 0)
    }
  }
}
