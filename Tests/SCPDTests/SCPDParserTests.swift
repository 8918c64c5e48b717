import Foundation
import SCPD
import Testing

@testable import ServiceXMLGenerator

@Suite struct SCPDParserTests {
  private func document(actions: String = "", variables: String) -> Data {
    Data(
      """
      <?xml version="1.0"?><scpd xmlns="urn:schemas-upnp-org:service-1-0"><specVersion><major>1</major>\
      <minor>0</minor></specVersion><actionList>\(actions)</actionList>\
      <serviceStateTable>\(variables)</serviceStateTable></scpd>
      """.utf8)
  }

  private let volume = """
    <stateVariable sendEvents="yes"><name>Volume</name><dataType>ui2</dataType><allowedValueRange>\
    <minimum>0</minimum><maximum>100</maximum><step>1</step></allowedValueRange></stateVariable>
    """

  private func action(_ arguments: String, extra: String = "") -> String {
    "<action><name>Set</name>\(extra)<argumentList>\(arguments)</argumentList></action>"
  }

  private func argument(_ name: String, _ direction: String, _ variable: String = "Volume") -> String {
    "<argument><name>\(name)</name><direction>\(direction)</direction>"
      + "<relatedStateVariable>\(variable)</relatedStateVariable></argument>"
  }

  @Test func readsActionsAndVariables() throws {
    let parsed = try SCPDParser.parse(
      document(actions: action(argument("In", "in") + argument("Out", "out")), variables: volume))
    #expect(
      parsed.variables == [
        StateVariable(
          name: "Volume", type: .ui2, sendsEvents: true,
          range: AllowedRange(minimum: 0, maximum: 100, step: 1))
      ])
    #expect(
      parsed.actions == [
        ActionDescription(
          name: "Set", inputs: [ArgumentDescription(name: "In", variable: 0)],
          outputs: [ArgumentDescription(name: "Out", variable: 0)])
      ])
  }

  @Test func refusesWhatIsOptional() {
    #expect(throws: SCPDError.self) {
      try SCPDParser.parse(document(actions: action("", extra: "<Optional/>"), variables: volume))
    }
    let variable = volume.replacing("<name>", with: "<Optional/><name>")
    #expect(throws: SCPDError.self) { try SCPDParser.parse(document(variables: variable)) }
  }

  @Test(arguments: [
    (" sendEvents=\"yes\"", ""), ("yes", "maybe"), ("<maximum>100</maximum>", ""),
    ("<minimum>0</minimum>", ""),
    ("<maximum>100", "<maximum>70000"), ("<maximum>100", "<maximum>-1"), ("ui2", "ui3"), ("ui2", "string"),
    ("<name>Volume</name>", "<name></name>"), ("<name>Volume</name>", "<name>Volume </name>"),
    ("Volume", "A_ARG_TYPE_Volume"),
  ])
  func refusesVariablesThatWouldNotHold(_ part: String, _ defect: String) {
    #expect(throws: SCPDError.self) {
      try SCPDParser.parse(document(variables: volume.replacing(part, with: defect)))
    }
  }

  @Test func refusesArgumentsThatWouldNotHold() {
    let lists = [
      argument("In", "in", "Missing"), argument("Out", "out") + argument("In", "in"), argument("In", "both"),
      argument("In", "in") + argument("In", "in"),
    ]
    for list in lists {
      #expect(throws: SCPDError.self) {
        try SCPDParser.parse(document(actions: action(list), variables: volume))
      }
    }
  }

  @Test func refusesWhatStandsTwice() {
    #expect(throws: SCPDError.self) { try SCPDParser.parse(document(variables: volume + volume)) }
    #expect(throws: SCPDError.self) {
      try SCPDParser.parse(document(actions: action("") + action(""), variables: volume))
    }
  }

  @Test func olderVersionsLackWhatCameLater() throws {
    let later =
      "<stateVariable sendEvents=\"yes\" since=\"3\"><name>Trim</name><dataType>string</dataType></stateVariable>"
    let long =
      "<stateVariable sendEvents=\"no\" long=\"yes\"><name>List</name><dataType>string</dataType></stateVariable>"
    let action =
      "<action><name>Get</name><argumentList>\(argument("Out", "out"))"
      + "<argument since=\"2\"><name>More</name><direction>out</direction><relatedStateVariable>List</relatedStateVariable>"
      + "</argument></argumentList></action><action since=\"2\"><name>Later</name></action>"
    let parsed = try SCPDParser.parse(document(actions: action, variables: volume + later + long))
    #expect(parsed.actions.map(\.since) == [1, 2])
    #expect(parsed.actions[0].outputs.map(\.since) == [1, 2])
    #expect(parsed.variables.map(\.since) == [1, 3, 1])
    #expect(parsed.variables.map(\.isLong) == [false, false, true])
    func written(_ version: Int) throws -> ServiceDescription {
      try SCPDParser.parse(
        Data((SCPDWriter.head + SCPDWriter(description: parsed, version: version).tail).utf8))
    }
    #expect(try written(1).actions.map(\.name) == ["Get"])
    #expect(try written(1).actions[0].outputs.map(\.name) == ["Out"])
    #expect(try written(2).actions.map(\.name) == ["Get", "Later"])
    #expect(try written(2).variables.map(\.name) == ["Volume", "List"])
    #expect(try written(3).variables.map(\.name) == ["Volume", "Trim", "List"])
    let source = SwiftWriter(name: "Sample3", description: parsed).source
    #expect(source.contains("case ...1:") && source.contains("case ...2:") && !source.contains("case ...3:"))
    for defect in ["since=\"1\"", "since=\"x\"", "long=\"no\""] {
      #expect(throws: SCPDError.self) {
        try SCPDParser.parse(document(variables: later.replacing("since=\"3\"", with: defect)))
      }
    }
  }

  @Test func moderationIsReadAndNotServed() throws {
    let moderated = volume.replacing("sendEvents=\"yes\"", with: "sendEvents=\"yes\" moderation=\"300\"")
    let parsed = try SCPDParser.parse(document(variables: moderated))
    #expect(parsed.variables.map(\.moderation) == [.milliseconds(300)])
    #expect(!SCPDWriter(description: parsed).tail.contains("moderation"))
    let source = SwiftWriter(name: "Sample1", description: parsed).source
    #expect(source.contains("value: held[###\"Volume\"###] ?? view.volume.wire"))
    for defect in ["moderation=\"0\"", "moderation=\"1s\"", "moderation=\"10001\""] {
      #expect(throws: SCPDError.self) {
        try SCPDParser.parse(document(variables: moderated.replacing("moderation=\"300\"", with: defect)))
      }
    }
    let silent = moderated.replacing("\"yes\"", with: "\"no\"")
    #expect(throws: SCPDError.self) { try SCPDParser.parse(document(variables: silent)) }
  }

  @Test func writtenAgainItReadsTheSame() throws {
    let parsed = try SCPDParser.parse(
      document(
        actions: action(argument("In", "in")) + "<action><name>Bare</name></action>",
        variables: volume
          + "<stateVariable sendEvents=\"no\"><name>Mode</name><dataType>string</dataType><defaultValue>A&amp;B"
          + "</defaultValue><allowedValueList><allowedValue>A&amp;B</allowedValue></allowedValueList></stateVariable>"
      ))
    let written = SCPDWriter.head + SCPDWriter(description: parsed).tail
    #expect(try SCPDParser.parse(Data(written.utf8)) == parsed)
    #expect(!written.contains("<argumentList></argumentList>"))
  }
}
