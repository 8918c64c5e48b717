import NIOCore
import SCPD
import Testing
import XML

@testable import ControlPoint

/// The service descriptions of other devices.
@Suite struct ServiceDescriptionReadingTests {
  private func read(_ content: String) throws -> ServiceDescription {
    try ServiceDescription.read(
      ByteBuffer(string: "<scpd xmlns=\"urn:schemas-upnp-org:service-1-0\">\(content)</scpd>"))
  }

  private func argument(_ name: String, _ direction: String, _ variable: String?) -> String {
    let related = variable.map { "<relatedStateVariable> \($0) </relatedStateVariable>" } ?? ""
    return "<argument><name>\(name)</name><direction>\(direction)</direction>\(related)</argument>"
  }

  @Test func actionsAndVariables() throws {
    let read = try read(
      """
      <serviceStateTable><stateVariable sendEvents="no"><name>Volume</name><dataType>ui2</dataType>\
      <allowedValueRange><minimum>0</minimum><maximum>50</maximum><step>0</step></allowedValueRange></stateVariable>\
      <stateVariable><Optional/><name>Mode</name><sendEventsAttribute>no</sendEventsAttribute><dataType>string</dataType>\
      <defaultValue>A</defaultValue><allowedValueList><allowedValue> A </allowedValue><allowedValue/></allowedValueList>\
      </stateVariable><stateVariable><name>Odd</name><dataType>fixed.14.4</dataType><allowedValueRange><minimum>0</minimum>\
      <maximum>1</maximum></allowedValueRange></stateVariable></serviceStateTable>\
      <actionList><action><name>Set</name><argumentList>\(argument("V", "in", "Volume"))\(argument("O", "OUT", "Gone"))\
      \(argument("X", "in", nil))</argumentList></action><action><name>Bare</name></action></actionList>
      """)
    #expect(read.actions.map(\.name) == ["Set", "Bare"])
    #expect(read.actions[0].inputs.map(\.name) == ["V", "X"])
    #expect(read.actions[0].outputs.map(\.name) == ["O"])
    #expect(read.variables.map(\.name) == ["Volume", "Mode", "Odd", "A_ARG_TYPE_Unknown"])
    #expect(read.variables.map(\.sendsEvents) == [false, false, true, false])
    #expect(read.variables[0].range == AllowedRange(minimum: 0, maximum: 50))
    #expect(read.variables[1].allowedValues == ["A"])
    #expect(read.variables[2].type == .string && read.variables[2].range == nil)
    #expect(read.actions[0].inputs.map(\.variable) == [0, 3])
  }

  @Test func namesThatCannotBeSentAreLeftOut() throws {
    let read = try read(
      """
      <actionList><action><name>A"&#13;&#10;X: y</name></action><action><name>1A</name></action><action></action>\
      <action><name>Good</name><argumentList>\(argument("a b", "in", nil))</argumentList></action>\
      <action><name>Good</name></action></actionList>
      """)
    #expect(read.actions.map(\.name) == ["Good"])
    #expect(read.actions[0].inputs.isEmpty)
    #expect(read.variables.isEmpty)
  }

  @Test func boundsHold() throws {
    let many = (0..<1000).map { "<action><name>A\($0)</name></action>" }.joined()
    #expect(try read("<actionList>\(many)</actionList>").actions.count == ServiceDescription.maximumActions)
    let values = String(repeating: "<allowedValue>x</allowedValue>", count: 1000)
    let variable =
      "<stateVariable><name>V</name><dataType>string</dataType><allowedValueList>\(values)</allowedValueList></stateVariable>"
    let read = try read("<serviceStateTable>\(variable)</serviceStateTable>")
    #expect(read.variables[0].allowedValues.count == ServiceDescription.maximumAllowedValues)
    #expect(throws: XMLError.tooLarge) {
      try ServiceDescription.read(ByteBuffer(repeating: 0x20, count: ServiceDescription.limits.bytes + 1))
    }
  }

  @Test func whatIsNoDescription() throws {
    #expect(throws: XMLError.malformed) { try ServiceDescription.read(ByteBuffer(string: "<html></html>")) }
    #expect(throws: XMLError.malformed) { try ServiceDescription.read(ByteBuffer()) }
    #expect(try read("") == ServiceDescription(actions: [], variables: []))
  }
}
