import Glibc
import Network
import UPnP

/// The interfaces that devices are looked for by.
enum UsedInterfaces {
  /// The first of the names that no interface of this machine has.
  static func unknown(_ names: [String], among interfaces: [String]) -> String? {
    names.first { name in
      let selection = InterfaceSelection(names: [name])
      return !interfaces.contains { selection.isNamed($0) }
    }
  }

  /// - Throws: ``Failure`` if `--interface` names one that isn't there.
  static func check(_ names: [String]) throws {
    guard !names.isEmpty, case let own = ownNames, let unknown = unknown(names, among: own) else {
      return
    }
    throw Failure(.usage, "there is no interface \"\(unknown)\"", hints: own)
  }

  /// Why no device can be found at all; nil if there is an interface to look by.
  static func failure(_ session: Session) async -> Failure? {
    guard let all = try? await OwnInterfaces.read(session), !all.isEmpty else { return nil }
    var facts = DoctorFacts()
    facts.named = session.options.interfaces
    let selection = InterfaceSelection(names: facts.named)
    guard SSDPEndpoint.endpoints(of: selection.announced(of: all)).isEmpty else { return nil }
    facts.guests = selection.leftOut(of: all).map(\.name)
    return DoctorChecks.network(facts).first.map {
      Failure(.unreachable, $0.text, hints: [$0.cure].compactMap(\.self))
    }
  }

  private static var ownNames: [String] {
    guard let list = if_nameindex() else { return [] }
    defer { if_freenameindex(list) }
    var names: [String] = []
    while let name = list[names.count].if_name { names.append(String(cString: name)) }
    return names
  }
}
