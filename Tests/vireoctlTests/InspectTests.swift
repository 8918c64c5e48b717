import ControlPoint
import Network
import SCPD
import Testing
import UPnP

@testable import vireoctl

@Suite struct InspectTests {
  private static func service(_ type: String, id: String = "") -> ServiceLocation {
    ServiceLocation(
      udn: "x", type: type, id: id, control: ServiceAddress(address: .v4(0x7f00_0001), port: 80, target: "/"))
  }

  private let services = [
    service("urn:schemas-upnp-org:service:AVTransport:1", id: "urn:upnp-org:serviceId:AVTransport"),
    service("urn:schemas-upnp-org:service:RenderingControl:1"),
    service("urn:schemas-upnp-org:service:RenderingControl:2"), service("urn:odd"),
  ]

  private func found(_ text: String) -> [String] {
    ServiceChoice.services(named: text, of: services).map { "\($0.name):\($0.version)" }
  }

  @Test func servicesAreNamedInManyWays() {
    #expect(found("AVTransport") == ["AVTransport:1"])
    #expect(found("avtransport:1") == ["AVTransport:1"])
    #expect(found("urn:upnp-org:serviceid:avtransport") == ["AVTransport:1"])
    #expect(found("RenderingControl:2") == ["RenderingControl:2"])
    #expect(found("Rend") == ["RenderingControl:1", "RenderingControl:2"])
    #expect(found("urn:odd") == ["urn:odd:"])
    #expect(found("").isEmpty)
    #expect(found("Transport").isEmpty)
  }

  private let description = ServiceDescription(
    actions: [
      ActionDescription(
        name: "SetMute",
        inputs: [
          ArgumentDescription(name: "InstanceID", variable: 0),
          ArgumentDescription(name: "Channel", variable: 1),
          ArgumentDescription(name: "DesiredMute", variable: 2),
        ], outputs: [ArgumentDescription(name: "Old", variable: 2)])
    ],
    variables: [
      StateVariable(name: "A_ARG_TYPE_InstanceID", type: .ui4, sendsEvents: false),
      StateVariable(
        name: "A_ARG_TYPE_Channel", type: .string, sendsEvents: false, allowedValues: ["Master", "LF"]),
      StateVariable(name: "Mute", type: .boolean, sendsEvents: false),
    ])

  private func ordered(_ words: String...) throws -> [String] {
    try CallArguments(words).ordered(for: description.actions[0], of: description).map {
      "\($0.name)=\($0.text)"
    }
  }

  @Test func argumentsGetTheOrderAndNamesOfTheService() throws {
    #expect(try ordered("desiredmute=1", "Channel=a=b") == ["InstanceID=0", "Channel=a=b", "DesiredMute=1"])
    #expect(
      try ordered("InstanceID=7", "Channel=", "DesiredMute=true") == [
        "InstanceID=7", "Channel=", "DesiredMute=true",
      ])
  }

  @Test func wrongArgumentsAreRefused() {
    #expect(throws: CallArguments.Problem.notAPair("x")) { try ordered("x") }
    #expect(throws: CallArguments.Problem.notAPair("=1")) { try ordered("=1") }
    #expect(throws: CallArguments.Problem.twice("a")) { try ordered("a=1", "a=2") }
    #expect(throws: CallArguments.Problem.missing(["Channel", "DesiredMute"])) { try ordered() }
    #expect(throws: CallArguments.Problem.unknown("x", known: ["InstanceID", "Channel", "DesiredMute"])) {
      try ordered("x=1", "Channel=Master", "DesiredMute=1")
    }
    #expect(throws: CallArguments.Problem.notAllowed("DesiredMute", value: "2", allowed: "0 or 1")) {
      try ordered("Channel=Master", "DesiredMute=2")
    }
    #expect(throws: CallArguments.Problem.self) {
      try ordered("InstanceID=-1", "Channel=Master", "DesiredMute=1")
    }
  }

  @Test func signaturesAndBounds() {
    #expect(
      description.signature(of: description.actions[0])
        == "SetMute(InstanceID ui4, Channel string, DesiredMute boolean) → Old boolean")
    #expect(description.variables[1].bounds == "Master | LF")
    let volume = StateVariable(
      name: "Volume", type: .ui2, sendsEvents: false, range: AllowedRange(minimum: 0, maximum: 50, step: 2))
    #expect(volume.bounds == "0…50 step 2")
  }

  @Test func eventsAreLines() {
    let values = [
      ServiceValue(.init("Volume", channel: "Master", instance: 0), "20"),
      ServiceValue(.init("TransportState", instance: 1), "a\u{1b}[2Jb"), ServiceValue(.init("Id"), ""),
    ]
    let report = EventLine.report(.changed(values), service: "AV", seconds: 61.0005)
    #expect(
      report.lines(.plain) == [
        "+61.001 AV Volume[Master]: 20", "+61.001 AV TransportState#1: a\u{fffd}[2Jb", "+61.001 AV Id: ",
      ])
    #expect(!report.lines(.json)[0].unicodeScalars.contains("\u{1b}"))
    #expect(
      EventLine.report(.interrupted, service: "AV", seconds: 0).lines(.plain) == ["+0.000 AV interrupted"])
  }
}
