import HTTP
import Logging
import NIOCore
import UPnP

extension EventSubscriptions {
  /// Makes subscriptions that send their requests by `exchange`, on its event loop.
  package init(
    exchange: HTTPExchange, limits: SubscriptionLimits = SubscriptionLimits(), logger: Logger
  ) {
    self.init(eventLoop: exchange.eventLoop, limits: limits, logger: logger) {
      call, address, time throws(ActionFailure) in
      // A request that came twice would do no harm: of two subscriptions, the unknown one is refused its events.
      let request = ExchangeRequest(call.method, fields: call.fields, isRepeatable: true)
      let response = try await exchange.exchange(
        request, to: address, deadline: .nanoseconds(time.nanoseconds), limit: 64 * 1024)
      return (response.status, response.fields)
    }
  }
}
