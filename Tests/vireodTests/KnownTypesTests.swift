import Testing

@testable import ControlPoint
@testable import GStreamerOutput

/// What the renderer says that it plays, and what the control point takes for the same.
@Suite struct KnownTypesTests {
  @Test func theControlPointKnowsTheRenderersNames() {
    let known = Set(MIMEType.aliases.flatMap { $0 })
    for name in Capabilities.find().mimeTypes where !name.hasPrefix("audio/L") {
      #expect(known.contains(name), "\(name)")
    }
  }
}
