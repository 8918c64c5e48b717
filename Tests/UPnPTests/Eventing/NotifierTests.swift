import Glibc
import NIOCore
import Testing

@testable import UPnP

@Suite struct NotifierTests {
  /// A subscriber isn't given up because our own network is away for a moment; one that is missing in it is.
  @Test(arguments: [
    (ENETUNREACH, DeliveryOutcome.notSent), (ENETDOWN, .notSent), (EMFILE, .notSent),
    (EADDRNOTAVAIL, .notSent),
    (EHOSTUNREACH, .unreachable), (ECONNREFUSED, .unreachable), (ECONNRESET, .unreachable),
  ])
  func whoseFaultItIs(number: Int32, outcome: DeliveryOutcome) {
    #expect(Notifier.outcome(of: IOError(errnoCode: number, reason: "connect")) == outcome)
  }

  @Test func whoDoesNotAcceptIsSlow() {
    #expect(Notifier.outcome(of: ChannelError.connectTimeout(.seconds(5))) == .timedOut)
  }
}
