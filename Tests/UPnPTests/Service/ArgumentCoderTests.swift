import SCPD
import Testing

@testable import UPnP

@Suite struct ArgumentCoderTests {
  /// A service with one action that takes one argument of each kind.
  private struct Sample: ServiceProvider {
    let identity = ServiceIdentity(domain: "example-org", idDomain: "example-org", name: "Sample", version: 1)
    let scpd = (head: "<scpd", tail: "/>")
    let eventing = EventStyle.properties
    let moderation = Duration.zero
    let description = ServiceDescription(
      actions: [
        ActionDescription(
          name: "Set",
          inputs: [
            ArgumentDescription(name: "InstanceID", variable: 0),
            ArgumentDescription(name: "Volume", variable: 1),
            ArgumentDescription(name: "Mode", variable: 2), ArgumentDescription(name: "Mute", variable: 3),
            ArgumentDescription(name: "Balance", variable: 4), ArgumentDescription(name: "Text", variable: 5),
          ], outputs: [])
      ],
      variables: [
        StateVariable(
          name: "A_ARG_TYPE_InstanceID", type: .ui4, sendsEvents: false,
          range: AllowedRange(minimum: 0, maximum: 0)),
        StateVariable(
          name: "Volume", type: .ui2, sendsEvents: false,
          range: AllowedRange(minimum: 0, maximum: 100, step: 1)),
        StateVariable(name: "Mode", type: .string, sendsEvents: false, allowedValues: ["NORMAL", "SHUFFLE"]),
        StateVariable(name: "Mute", type: .boolean, sendsEvents: false),
        StateVariable(name: "Balance", type: .i2, sendsEvents: false),
        StateVariable(name: "Text", type: .string, sendsEvents: false),
      ])
    func perform(_ call: inout ActionCall) throws(UPnPError) {}
    func eventedValues() -> [EventedValue] { [] }
    func refusal(of variable: StateVariable) -> UPnPError? {
      variable.name == "A_ARG_TYPE_InstanceID" ? UPnPError(code: 718, description: "Invalid InstanceID") : nil
    }
  }

  private let good = [
    "InstanceID": "0", "Volume": "12", "Mode": "NORMAL", "Mute": "1", "Balance": "-3", "Text": " as sent ",
  ]

  private func check(_ changes: [String: String?] = [:]) throws -> [String] {
    let arguments = good.merging(changes.compactMapValues { $0 }) { $1 }
      .filter { key, _ in !(changes.keys.contains(key) && changes[key]! == nil) }
    return try ArgumentCoder(Sample()).check(
      action: 0, arguments: arguments.map { (name: $0.key, text: $0.value) })
  }

  @Test func ordersAndKeepsGoodOnes() throws {
    #expect(try check() == ["0", "12", "NORMAL", "1", "-3", " as sent "])
  }

  @Test func surplusIsIgnored() throws {
    #expect(try check(["Extra": "x"]).count == 6)
  }

  @Test(arguments: [
    ("Volume", " +012\n", "12"), ("Mute", "True", "1"), ("Mute", "no", "0"), ("Mute", "7", "1"),
    ("Mode", " SHUFFLE ", "SHUFFLE"),
  ])
  func lenientForms(_ name: String, _ text: String, _ canonical: String) throws {
    #expect(try check([name: text]).contains(canonical))
  }

  @Test(arguments: [
    ("InstanceID", "1", 718), ("InstanceID", "x", 402), ("InstanceID", nil, 402), ("Volume", "101", 601),
    ("Volume", "-1", 601), ("Volume", "1.5", 402), ("Volume", "", 402),
    ("Volume", "99999999999999999999", 402),
    ("Mode", "RANDOM", 600), ("Mute", "maybe", 402), ("Balance", "40000", 601), ("Text", nil, 402),
  ])
  func refusals(_ name: String, _ text: String?, _ code: Int) {
    let error = #expect(throws: UPnPError.self) { try check([name: text]) }
    #expect(error?.code == code)
  }

  @Test func textsAreBounded() {
    let long = String(repeating: "x", count: ArgumentCoder.maximumTextLength + 1)
    let error = #expect(throws: UPnPError.self) { try check(["Text": long]) }
    #expect(error?.code == 605)
  }
}
