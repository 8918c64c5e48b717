import Network
import UPnP

/// The devices that were seen lately, so that the next command needn't search: `devices` in the user's cache.
///
/// What is in it is a hint: a device is used only if its description, read anew, is the same device's.
enum KnownDevices {
  struct Entry: Sendable, Hashable {
    var udn: String
    var name: String
    /// Words: `renderer`, `server`, `openhome`, `av`.
    var kind: String
    var url: String

    var facts: DeviceFacts {
      let address = CallbackURL(url)
      let words = kind.split(separator: ",")
      return DeviceFacts(
        udn: udn, name: name, kind: words.first.flatMap { DeviceFacts.Kind(rawValue: String($0)) } ?? .other,
        isOpenHome: words.contains("openhome"), isAV: words.contains("av"),
        address: address?.address ?? .v4(0),
        port: address?.port ?? 0, addresses: address.map { [$0.address] } ?? [], url: url)
    }
  }

  static let maximum = 64

  static func read() -> [Entry] { entries(SmallFile(.cache, "devices").read() ?? "") }

  static func remember(_ seen: [Entry]) {
    guard !seen.isEmpty else { return }
    let old = read()
    let new = merged(old, seen)
    if new != old { SmallFile(.cache, "devices").write(text(new)) }
  }

  /// The newest first.
  static func merged(_ old: [Entry], _ seen: [Entry]) -> [Entry] {
    let usable = seen.filter { entry in
      [entry.udn, entry.name, entry.url].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 0x20 } }
    }.sorted { $0.udn < $1.udn }
    let udns = Set(usable.map(\.udn))
    let urls = Set(usable.map(\.url))
    let kept = old.filter { !udns.contains($0.udn) && !urls.contains($0.url) }
    // In the old order where nothing is new, so that nothing has to be written.
    if kept.count + usable.count == old.count, Set(old) == Set(usable + kept) { return old }
    return Array((usable + kept).prefix(maximum))
  }

  static func text(_ entries: [Entry]) -> String {
    entries.map { "\($0.udn)\t\($0.kind)\t\($0.url)\t\($0.name)\n" }.joined()
  }

  static func entries(_ text: String) -> [Entry] {
    text.split(separator: "\n").prefix(maximum).compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false).map(
        String.init)
      guard fields.count == 4, CallbackURL(fields[2]) != nil else { return nil }
      return Entry(udn: fields[0], name: fields[3], kind: fields[1], url: fields[2])
    }
  }
}

extension KnownDevices.Entry {
  init(_ facts: DeviceFacts) {
    let kind = facts.kind.rawValue + (facts.isOpenHome ? ",openhome" : "") + (facts.isAV ? ",av" : "")
    self.init(udn: facts.udn, name: facts.name, kind: kind, url: facts.url)
  }
}
