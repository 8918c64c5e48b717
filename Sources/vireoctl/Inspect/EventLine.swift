import ControlPoint

/// What is shown of a change of a service's variables.
enum EventLine {
  /// - Parameters:
  ///   - service: the name of the service.
  ///   - seconds: since the watching began.
  static func report(_ change: ServiceChange, service: String, seconds: Double) -> Report {
    let word: String
    var values: [ServiceValue] = []
    switch change {
    case .all(let all): (word, values) = ("all", all)
    case .changed(let changed): (word, values) = ("changed", changed)
    case .interrupted: word = "interrupted"
    }
    let time = clock(seconds)
    let json = JSON.members([
      "time": .decimal((seconds * 1000).rounded() / 1000), "service": .string(service),
      "event": .string(word),
      "values": .array(
        values.map {
          .members([
            "name": .string($0.variable.name), "channel": .string($0.variable.channel),
            "instance": .number($0.variable.instance.map { Int($0) }), "value": .string($0.value),
          ])
        }),
    ])
    guard !values.isEmpty else { return .lines(["\(time) \(service) \(word)"], json: json) }
    let lines = values.map { "\(time) \(service) \(name($0.variable)): \($0.value)" }
    return .lines(lines, json: json)
  }

  /// `Volume[Master]`; the instance is named only if it isn't 0.
  static func name(_ variable: ServiceValue.Variable) -> String {
    let instance = variable.instance.map { $0 == 0 ? "" : "#\($0)" } ?? ""
    return variable.name + (variable.channel.map { "[\($0)]" } ?? "") + instance
  }

  /// `+12.345`
  static func clock(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1000).rounded())
    let rest = String(milliseconds % 1000)
    return "+\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
