import Testing

@testable import GStreamerOutput
