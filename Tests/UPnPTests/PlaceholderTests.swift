import Testing

@testable import UPnP
