import Network

/// Why no media server may have been found, in plain words.
struct NoServerReason: Sendable, Hashable {
  /// All interfaces of the host, running or not.
  var interfaces: [NetworkInterface] = []
  var selection = InterfaceSelection()
  /// The addresses that a search was sent from, each with its error number, or 0.
  var searched: [IPAddress: CInt] = [:]
  /// How many other devices have been found, not counting this speaker.
  var others = 0
  /// The firewalls that are switched on here.
  var firewalls: [String] = []

  var text: String {
    let leftOut = selection.leftOut(of: interfaces).map(\.name)
    if selection.served(of: interfaces).isEmpty {
      if !selection.names.isEmpty {
        return
          "The speaker uses only \(list(selection.names)), and that is no network interface that is up and has an address. Connect its cable or Wi-Fi, or change [network] interfaces."
      }
      if !leftOut.isEmpty {
        return
          "Only \(list(leftOut)) is up, which leads to containers or virtual machines. Connect the speaker's cable or Wi-Fi, or name the interface in [network] interfaces."
      }
      return "The speaker has no network. Connect its cable or its Wi-Fi."
    }
    if !searched.isEmpty, searched.values.allSatisfy({ $0 == 1 || $0 == 13 }) {
      return
        "The speaker's own firewall\(named) doesn't let searches out. Allow UDP to 239.255.255.250 and [ff02::c], port 1900."
    }
    if !searched.isEmpty, searched.values.allSatisfy({ $0 != 0 }) {
      return "No search could be sent. See whether the speaker's network works at all."
    }
    if others > 0 {
      return
        "Other devices answer, so the network works. See whether the media server is on, whether its sharing (DLNA, UPnP) is on, and whether it is in the same network."
    }
    let networks = selection.announced(of: interfaces).map { interface in
      let first = interface.addresses.first { !$0.address.isIPv6 } ?? interface.addresses.first
      return "\(interface.name)" + (first.map { " \($0.address)" } ?? "")
    }
    return
      "Nothing answers on \(list(networks)). Is the media server on, and in the same network as the speaker? A guest Wi-Fi keeps devices apart. A firewall on the speaker\(named) has to let in UDP that comes from port 1900, one on the server UDP to port 1900."
  }

  private var named: String { firewalls.isEmpty ? "" : " (\(list(firewalls)))" }

  private func list(_ words: [String]) -> String { words.prefix(4).joined(separator: ", ") }
}
