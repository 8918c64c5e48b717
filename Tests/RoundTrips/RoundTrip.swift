import ControlPoint
import UPnP

/// A call of one action through its proxy, with arguments and results as on the wire. Generated for every action.
package struct RoundTrip: Sendable, CustomStringConvertible {
  /// The name of its file in ServiceXML.
  package let service: String
  package let action: String
  package let call: @Sendable (RemoteService, Inputs) async throws(ActionFailure) -> [String]

  package init(
    service: String, action: String,
    call: @escaping @Sendable (RemoteService, Inputs) async throws(ActionFailure) -> [String]
  ) {
    self.service = service
    self.action = action
    self.call = call
  }

  package var description: String { "\(service).\(action)" }

  package struct Inputs: Sendable {
    package let texts: [String]

    package init(texts: [String]) { self.texts = texts }

    package func value<Value: WireValue>(_ index: Int) -> Value { Value(wire: texts[index])! }
  }

  /// Every action of every service that we serve.
  package static let ofServed = [
    ofAVTransport1, ofRenderingControl1, ofConnectionManager1, ofProduct4, ofPlaylist1, ofInfo1, ofTime1,
    ofVolume4, ofRadio2, ofTransport1, ofReceiver1, ofSender2, ofPins1,
  ]
}

/// The reading of an event message through the proxy's `Changes`. Generated for every service.
package struct EventTrip: Sendable {
  package let service: String
  /// Returns the values as on the wire, by `Name` or `Name/Channel`.
  package let read: @Sendable ([EventedValue]) throws(ActionFailure) -> [String: String]

  package init(
    service: String, read: @escaping @Sendable ([EventedValue]) throws(ActionFailure) -> [String: String]
  ) {
    self.service = service
    self.read = read
  }

  /// Every service that we serve.
  package static let ofServed: [EventTrip] = [
    ofAVTransport1, ofRenderingControl1, ofConnectionManager1, ofProduct4, ofPlaylist1, ofInfo1, ofTime1,
    ofVolume4, ofRadio2, ofTransport1, ofReceiver1, ofSender2, ofPins1,
  ]
}
