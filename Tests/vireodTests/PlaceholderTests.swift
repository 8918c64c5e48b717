import Testing

@testable import vireod
