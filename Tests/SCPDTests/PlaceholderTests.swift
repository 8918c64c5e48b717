import Testing
@testable import SCPD
