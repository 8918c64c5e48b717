import SCPD
import UPnP

/// The arguments of a call as a person types them: `key=value`.
struct CallArguments: Equatable {
  enum Problem: Error, Equatable {
    case notAPair(String)
    case twice(String)
    case unknown(String, known: [String])
    case missing([String])
    case notAllowed(String, value: String, allowed: String)
  }

  private(set) var pairs: [SOAPArgument] = []

  /// Takes words apart at their first `=`.
  init(_ words: [String]) throws(Problem) {
    for word in words {
      guard let sign = word.firstIndex(of: "="), sign > word.startIndex else { throw .notAPair(word) }
      let name = String(word[..<sign])
      guard !pairs.contains(where: { $0.name == name }) else { throw .twice(name) }
      pairs.append(SOAPArgument(name: name, text: String(word[word.index(after: sign)...])))
    }
  }

  /// The arguments in the order and with the names of the service's description. Names are found without regard to case, and
  /// InstanceID is 0 unless it is given.
  func ordered(for action: ActionDescription, of service: ServiceDescription) throws(Problem)
    -> [SOAPArgument]
  {
    var rest = pairs
    var missing: [String] = []
    var ordered: [SOAPArgument] = []
    for input in action.inputs {
      let place =
        rest.firstIndex { $0.name == input.name }
        ?? rest.firstIndex { $0.name.lowercased() == input.name.lowercased() }
      if let place {
        let value = rest.remove(at: place).text
        try Self.check(value, of: input.name, service.variables[input.variable])
        ordered.append(SOAPArgument(name: input.name, text: value))
      } else if input.name == "InstanceID" {
        ordered.append(SOAPArgument(name: input.name, text: "0"))
      } else {
        missing.append(input.name)
      }
    }
    if let unknown = rest.first { throw .unknown(unknown.name, known: action.inputs.map(\.name)) }
    guard missing.isEmpty else { throw .missing(missing) }
    return ordered
  }

  /// Checks the kind of a value only: whether the device takes it is for the device to say.
  private static func check(_ value: String, of name: String, _ variable: StateVariable) throws(Problem) {
    if let range = variable.type.integerRange {
      guard let number = Int64(value), range.contains(number) else {
        throw .notAllowed(
          name, value: value, allowed: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
    } else if variable.type == .boolean {
      let words = ["0", "1", "true", "false", "yes", "no"]
      guard words.contains(value.lowercased()) else {
        throw .notAllowed(name, value: value, allowed: "0 or 1")
      }
    }
  }
}

extension CallArguments.Problem: CustomStringConvertible {
  var description: String {
    switch self {
    case .notAPair(let word): "'\(word)' isn't an argument; write it as NAME=VALUE"
    case .twice(let name): "\(name) is given twice"
    case .unknown(let name, let known) where known.isEmpty: "\(name): the action takes no arguments"
    case .unknown(let name, let known):
      "the action has no argument \(name); it takes \(known.joined(separator: ", "))"
    case .missing(let names): "missing: \(names.map { "\($0)=…" }.joined(separator: " "))"
    case .notAllowed(let name, let value, let allowed): "\(name) can't be '\(value)'; it must be \(allowed)"
    }
  }
}
