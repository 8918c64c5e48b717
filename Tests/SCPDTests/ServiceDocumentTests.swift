import Foundation
import SCPD
import Testing

@testable import ServiceXMLGenerator

@Suite struct ServiceDocumentTests {
  /// The code that is made of `scpd` as of a file called `name`.
  static func source(_ name: String, _ scpd: Data) throws -> String {
    ServiceWriter(document: try ServiceDocument(name: name, data: named(name, scpd))).source
  }

  private static func named(_ name: String, _ scpd: Data) -> Data {
    let type = "type=\"urn:example-org:service:\(name.dropLast()):\(name.suffix(1))\""
    let id = "id=\"urn:example:serviceId:\(name.dropLast())\""
    return Data(String(decoding: scpd, as: UTF8.self).replacing("<scpd ", with: "<scpd \(type) \(id) ").utf8)
  }

  private func file(_ variables: String, actions: String = "") -> Data {
    Data(
      """
      <scpd xmlns="urn:schemas-upnp-org:service-1-0"><actionList>\(actions)</actionList>\
      <serviceStateTable>\(variables)</serviceStateTable></scpd>
      """.utf8)
  }

  private func variable(_ name: String, _ attributes: String = "", values: [String] = []) -> String {
    let list = values.map { "<allowedValue>\($0)</allowedValue>" }.joined()
    return "<stateVariable sendEvents=\"no\" \(attributes)><name>\(name)</name><dataType>string</dataType>"
      + (values.isEmpty ? "" : "<allowedValueList>\(list)</allowedValueList>") + "</stateVariable>"
  }

  private let lastChange =
    "<stateVariable sendEvents=\"yes\" namespace=\"urn:n\"><name>LastChange</name><dataType>string</dataType></stateVariable>"

  private func getter(_ variable: String) -> String {
    "<action><name>Get\(variable)</name><argumentList><argument><name>V</name><direction>out</direction>"
      + "<relatedStateVariable>\(variable)</relatedStateVariable></argument></argumentList></action>"
  }

  @Test func theIdentityStandsInTheFile() throws {
    let document = try ServiceDocument(name: "Light2", data: Self.named("Light2", file(variable("A"))))
    #expect(
      document.identity
        == .init(domain: "example-org", idDomain: "example", name: "Light", version: 2))
    #expect(throws: SCPDError.self) {
      try ServiceDocument(name: "Light1", data: Self.named("Light2", file(variable("A"))))
    }
    #expect(throws: SCPDError.self) { try ServiceDocument(name: "Light1", data: file(variable("A"))) }
  }

  private func command(_ attributes: String, argument: String = "") -> String {
    "<action \(attributes)><name>Do</name><argumentList><argument \(argument)><name>V</name><direction>in</direction>"
      + "<relatedStateVariable>A</relatedStateVariable></argument></argumentList></action>"
  }

  @Test func aRefusedActionHasNoMethod() throws {
    let refused = try Self.source("S1", file(variable("A"), actions: command("fault=\"800\"")))
    #expect(refused.contains("throw UPnPError(code: 800") && !refused.contains("protocol Commands"))
    #expect(try Self.source("S1", file(variable("A"), actions: command(""))).contains("func `do`") == false)
    #expect(throws: SCPDError.self) {
      try Self.source("S1", file(variable("A"), actions: command("fault=\"12\"")))
    }
  }

  @Test func anAbsentArgumentHasADefault() throws {
    let source = try Self.source("S1", file(variable("A"), actions: command("", argument: "absent=\"7\"")))
    #expect(source.contains("absent: ###\"7\"###"))
    #expect(throws: SCPDError.self) {
      let getter = getter("A").replacing("<argument>", with: "<argument absent=\"7\">")
      return try Self.source("S1", file(variable("A"), actions: getter))
    }
  }

  @Test func aServiceOfAZoneIsNamedForIt() throws {
    let bare = "<action><name>Bare</name></action>"
    let zone = try ServiceDocument(name: "ZoneS1", data: Self.named("S1", file(variable("A"), actions: bare)))
    #expect(zone.isZone && zone.identity.name == "S")
    #expect(ServiceWriter(document: zone).source.contains("<argumentList></argumentList>"))
    #expect(ServiceWriter(document: zone).source.contains("sendsWholeEvents: Bool { true }"))
    #expect(try !Self.source("S1", file(variable("A"), actions: bare)).contains("<argumentList>"))
  }

  @Test func lastChangeMayHaveAnotherForm() throws {
    let other = lastChange.replacing(
      "namespace=\"urn:n\"",
      with: "namespace=\"urn:n\" element=\"E\" prefix=\"r\" prefixNamespace=\"urn:r\"")
    let source = try Self.source("S1", file(variable("A") + other, actions: getter("A")))
    #expect(source.contains("form: LastChangeForm(prefix: ###\"r\"###"))
    #expect(throws: SCPDError.self) {
      try Self.source(
        "S1", file(variable("A") + other.replacing("prefix=\"r\" ", with: ""), actions: getter("A")))
    }
  }

  @Test func lastChangeLeavesOutWhatIsPolled() throws {
    let data = file(
      variable("A") + variable("B", "polled=\"yes\"") + lastChange, actions: getter("A") + getter("B"))
    let document = try ServiceDocument(name: "S1", data: Self.named("S1", data))
    #expect(document.lastChange == "urn:n")
    #expect(document.shownVariables.map(\.name) == ["A", "B"])
    #expect(document.eventedVariables.map(\.name) == ["A"])
    #expect(throws: SCPDError.self) { try Self.source("S1", file(variable("B", "polled=\"yes\""))) }
    #expect(throws: SCPDError.self) { try Self.source("S1", file(variable("B", "namespace=\"n\""))) }
    #expect(throws: SCPDError.self) {
      try Self.source("S1", file(lastChange.replacing("namespace", with: "other")))
    }
  }

  @Test func allowedValuesAreCasesOfThePlayer() throws {
    let source = try Self.source("S1", file(variable("Mode", "player=\"PlayMode\"", values: ["ON", "OFF"])))
    #expect(source.contains("import Player"))
    #expect(source.contains("init(_ value: PlayMode)") && source.contains("var ofPlayer: PlayMode"))
    #expect(source.contains("case .off: .off"))
    let more = try Self.source(
      "S1",
      file(
        variable("Mode", "player=\"PlayMode\"", values: ["ON", "OFF"])
          .replacing("<allowedValue>OFF", with: "<allowedValue player=\"no\">OFF")))
    #expect(more.contains("case off") && !more.contains("case .off: .off") && !more.contains("ofPlayer"))
    #expect(throws: SCPDError.self) { try Self.source("S1", file(variable("Mode", "player=\"PlayMode\""))) }
    #expect(try !Self.source("S1", file(variable("A"))).contains("import Player"))
  }

  /// A service with nothing to do and nothing but getters needs no commands.
  @Test func commandsAreOnlyWhereThereAreSome() throws {
    let shown = try Self.source("S1", file(variable("A"), actions: getter("A")))
    #expect(!shown.contains("Commands") && !shown.contains("commands"))
    let action = "<action><name>Do</name></action>"
    #expect(try Self.source("S1", file(variable("A"), actions: action)).contains("func `do`") == false)
    #expect(try Self.source("S1", file(variable("A"), actions: action)).contains("protocol Commands"))
  }

  // MARK: Proxies

  private func proxy(_ scpd: Data) throws -> String {
    ProxyWriter(document: try ServiceDocument(name: "Sample1", data: Self.named("Sample1", scpd))).source
  }

  @Test func whatOthersMaySendIsOpen() throws {
    let source = try proxy(file(variable("Mode", values: ["ON", "OFF"]), actions: getter("Mode")))
    #expect(source.contains("case other(String)"))
    #expect(source.contains("func getMode() async throws(ActionFailure) -> Mode"))
    #expect(source.contains("isRepeatable: true"))
  }

  @Test func onlyWhatAsksIsRepeated() throws {
    let argument =
      "<argumentList><argument><name>V</name><direction>out</direction><relatedStateVariable>A_ARG_TYPE_V"
      + "</relatedStateVariable></argument></argumentList>"
    for (name, isRepeated) in [("ReadList", true), ("Browse", true), ("Insert", false), ("Step", false)] {
      let source = try proxy(
        file(variable("A_ARG_TYPE_V"), actions: "<action><name>\(name)</name>\(argument)</action>"))
      #expect(source.contains("isRepeatable: true") == isRepeated, "\(name)")
    }
    let without = try proxy(file(variable("A"), actions: "<action><name>ReadNothing</name></action>"))
    #expect(!without.contains("isRepeatable"))
  }

  @Test func slowActionsGetTheirTime() throws {
    func slow(_ seconds: String) throws -> String {
      try proxy(
        file(variable("A"), actions: "<action seconds=\"\(seconds)\"><name>Browse</name></action>"))
    }
    #expect(try slow("15").contains("seconds: 15"))
    for defect in ["0", "61", "x"] { #expect(throws: SCPDError.self) { try slow(defect) } }
  }

  @Test func channelsAreInLastChangeOnly() throws {
    let argument = { (name: String, direction: String, variable: String) in
      "<argument><name>\(name)</name><direction>\(direction)</direction><relatedStateVariable>\(variable)"
        + "</relatedStateVariable></argument>"
    }
    let list = argument("C", "in", "A_ARG_TYPE_Channel") + argument("V", "out", "Volume")
    let actions = "<action><name>GetVolume</name><argumentList>\(list)</argumentList></action>"
    let channel = variable("A_ARG_TYPE_Channel", values: ["Master"])
    let source = try proxy(
      file(variable("Volume") + variable("Name") + channel + lastChange, actions: actions))
    #expect(source.contains("public var volume: [Channel: String] = [:]"))
    #expect(source.contains("public var name: String?"))
    #expect(source.contains("c: Channel = .master"))
  }
}
