import ControlPoint
import Foundation
import NIOCore
import Network
import Proxies
import RoundTrips
import SCPD
import Testing
import UPnP

/// Our services and our proxies, over loopback: each is the test of the other.
@Suite struct RoundTripTests {
  /// Every action is there, once, and in the description's order.
  @Test func everyActionIsTried() throws {
    let speaker = Speaker()
    #expect(speaker.services.count == RoundTrip.ofServed.count)
    for trips in RoundTrip.ofServed {
      let service = try #require(speaker.service(trips[0].service))
      #expect(trips.map(\.action) == service.description.actions.map(\.name))
    }
  }

  /// What goes into a proxy comes out of the service, and the other way round, for any values that are allowed.
  @Test(arguments: 0..<3) func nothingIsLostOnTheWay(seed: Int) async throws {
    let speaker = Speaker()
    var echoes = try RoundTrip.ofServed.map { trips in
      (EchoService(like: try #require(speaker.service(trips[0].service))), trips)
    }
    echoes.append((try Self.contentDirectory(), RoundTrip.ofContentDirectory1))
    var samples = WireSamples(seed: seed)
    try await withDevice(of: echoes.map(\.0)) { remote in
      for (service, trips) in echoes {
        for (trip, action) in zip(trips, service.description.actions) {
          for _ in 0..<4 {
            let inputs = action.inputs.map { samples.any(service.description.variables[$0.variable]) }
            let outputs = action.outputs.map { samples.any(service.description.variables[$0.variable]) }
            service.answer(outputs)
            let results = try await trip.call(remote(service), RoundTrip.Inputs(texts: inputs))
            #expect(service.inputs == inputs, "\(trip)")
            #expect(results == outputs, "\(trip)")
          }
          let fault = UPnPError(code: 700 + Int.random(in: 0..<99, using: &samples), description: "<no> & é")
          service.answer([], fault: fault)
          let inputs = action.inputs.map { samples.any(service.description.variables[$0.variable]) }
          await #expect(throws: ActionFailure.fault(fault), "\(trip)") {
            try await trip.call(remote(service), RoundTrip.Inputs(texts: inputs))
          }
        }
      }
    }
  }

  /// The real services answer the same through a proxy as when they are called at once.
  @Test(arguments: 0..<4) func theRealServices(seed: Int) async throws {
    let (near, far) = (Speaker(), Speaker())
    var samples = WireSamples(seed: seed + 100)
    let trips = RoundTrip.ofServed.flatMap { $0 }
    var successes = 0
    try await withDevice(of: far.services) { remote in
      // Each action, and then as many as it takes to get somewhere.
      for index in 0..<(trips.count + 300) {
        let trip =
          index < trips.count ? trips[index] : trips[Int.random(in: 0..<trips.count, using: &samples)]
        let service = try #require(near.service(trip.service))
        let action = try #require(service.description.actionIndex(named: trip.action))
        let described = service.description.actions[action]
        let inputs = described.inputs.map { samples.useful(service.description.variables[$0.variable]) }
        let expected = Self.perform(service, action, inputs)
        let way = remote(try #require(far.service(trip.service)))
        let result: Result<[String], ActionFailure>
        do throws(ActionFailure) {
          result = .success(try await trip.call(way, RoundTrip.Inputs(texts: inputs)))
        } catch {
          result = .failure(error)
        }
        #expect(result == expected, "\(trip) \(inputs)")
        if case .success = result { successes += 1 }
      }
      // Otherwise the test says little.
      #expect(successes > 250, "\(successes) calls succeeded")
    }
  }

  /// What a control point reads of our descriptions is what we made them of.
  @Test func descriptionsAtRunTime() async throws {
    let speaker = Speaker()
    try await withDevice(of: speaker.services) { remote in
      for service in speaker.services {
        let read = try await remote(service).description()
        var ours = service.description
        for index in ours.actions.indices {
          ours.actions[index].since = 1
          for item in ours.actions[index].inputs.indices { ours.actions[index].inputs[item].since = 1 }
          for item in ours.actions[index].outputs.indices { ours.actions[index].outputs[item].since = 1 }
        }
        for index in ours.variables.indices {
          ours.variables[index].since = 1
          ours.variables[index].isLong = false
          ours.variables[index].moderation = .zero
        }
        #expect(read == ours, "\(service.identity.name)")
      }
    }
  }

  @Test func proxiesKnowTheirServices() async throws {
    let speaker = Speaker()
    try await withDevice(of: speaker.services) { remote in
      let volume = remote(try #require(speaker.service("Volume4")))
      #expect(volume.isServed(by: Proxies.Volume4.Proxy.self))
      #expect(!volume.isServed(by: Proxies.Radio2.Proxy.self))
    }
  }

  private static func perform(
    _ service: any ServiceProvider, _ action: Int, _ inputs: [String]
  ) -> Result<[String], ActionFailure> {
    do throws(UPnPError) {
      let names = service.description.actions[action].inputs.map(\.name)
      let arguments = zip(names, inputs).map { (name: $0, text: $1) }
      var call = ActionCall(
        action: action, context: ActionContext(remoteAddress: .v4(0x7f00_0001), userAgent: "test"),
        inputs: try ArgumentCoder(service).check(action: action, arguments: arguments))
      try service.perform(&call)
      return .success(call.outputs.map(\.text))
    } catch {
      return .failure(.fault(UPnPError(code: error.code, description: error.description)))
    }
  }

  /// We serve no ContentDirectory: its description is read from the file.
  private static func contentDirectory() throws -> EchoService {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../ServiceXML/ContentDirectory1.xml")
    let description = try ServiceDescription.read(ByteBuffer(bytes: try Data(contentsOf: file)))
    return EchoService(Proxies.ContentDirectory1.Proxy.identity, description)
  }
}
