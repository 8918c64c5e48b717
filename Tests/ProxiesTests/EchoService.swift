import SCPD
import Synchronization
import UPnP

/// A service with the description of a real one. It takes what it is called with, and answers what a test says.
final class EchoService: ServiceProvider {
  let identity: ServiceIdentity
  let description: ServiceDescription
  let scpd: (head: String, tail: String)
  let eventing = EventStyle.properties
  private let state = Mutex<(inputs: [String], outputs: [String], fault: UPnPError?)>(([], [], nil))

  init(like service: any ServiceProvider) {
    identity = service.identity
    description = service.description
    scpd = service.scpd
  }

  init(_ identity: ServiceIdentity, _ description: ServiceDescription) {
    self.identity = identity
    self.description = description
    scpd = ("<scpd", "></scpd>")
  }

  /// What the last call came with.
  var inputs: [String] { state.withLock { $0.inputs } }

  func answer(_ outputs: [String], fault: UPnPError? = nil) {
    state.withLock { $0 = ([], outputs, fault) }
  }

  func perform(_ call: inout ActionCall) throws(UPnPError) {
    let inputs = call.inputs
    let (outputs, fault) = state.withLock {
      $0.inputs = inputs
      return ($0.outputs, $0.fault)
    }
    if let fault { throw fault }
    for output in outputs { call.output(output) }
  }

  func eventedValues() -> [EventedValue] { [] }
}
