@testable import Network

extension FuzzTarget {
  /// What the kernel says of links and addresses; the first request had the sequence number 1.
  static let netlink = FuzzTarget(name: "netlink", maximumLength: 4096, words: []) { bytes in
    var table = InterfaceTable()
    _ = table.begin()
    // Two datagrams, as the kernel needs at least two to tell everything.
    for part in [bytes.prefix(bytes.count / 2 & ~3), bytes.dropFirst(bytes.count / 2 & ~3), bytes[...]] {
      let step = part.withUnsafeBytes { table.apply($0) }
      try promise(step.failure.map { $0 > 0 } ?? true, "failed with \(step.failure ?? 0)")
      for interface in table.interfaces {
        try promise(interface.index > 0, "index \(interface.index)")
        try promise(interface.addresses.count <= InterfaceTable.maximumAddresses, "too many addresses")
        for address in interface.addresses {
          try promise(address.prefixLength <= address.address.bitWidth, "prefix of \(address)")
          _ = address.isBroadcast(address.address)
        }
      }
      try promise(table.interfaces.count <= InterfaceTable.maximumLinks, "too many links")
    }
  }
}
