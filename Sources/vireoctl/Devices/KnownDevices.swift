import Glibc
import Network
import Renderers
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
    /// When it was found, in seconds since 1970.
    var seen = 0

    /// True if it was found so lately that another one of its name would have been, too.
    func isYoung(now: Int = time(nil)) -> Bool { (0...KnownDevices.youth).contains(now - seen) }

    /// The same at another time.
    func at(_ seen: Int) -> Entry {
      var entry = self
      entry.seen = seen
      return entry
    }

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
  /// Seconds for which devices aren't looked for again by their names.
  static let youth = 600
  /// Times that differ by less, in seconds, aren't worth writing.
  private static let grain = 60

  static func read() -> [Entry] { entries(SmallFile(.cache, "devices").read() ?? "") }

  /// True if all of these were found lately.
  static func areYoung(_ devices: [DeviceFacts], in entries: [Entry]) -> Bool {
    devices.allSatisfy { facts in entries.contains { $0.udn == facts.udn && $0.isYoung() } }
  }

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
    // In the old order where nothing is new; and nothing has to be written if that was so a moment ago, too.
    if kept.count + usable.count == old.count,
      Set(old.map { $0.at(0) }) == Set((usable + kept).map { $0.at(0) })
    {
      let times = Dictionary(usable.map { ($0.udn, $0.seen) }) { first, _ in first }
      let new = old.map { entry in times[entry.udn].map { entry.at($0) } ?? entry }
      return zip(old, new).allSatisfy { abs($0.seen - $1.seen) < grain } ? old : new
    }
    return Array((usable + kept).prefix(maximum))
  }

  static func text(_ entries: [Entry]) -> String {
    entries.map { "\($0.udn)\t\($0.kind)\t\($0.url)\t\($0.seen)\t\($0.name)\n" }.joined()
  }

  static func entries(_ text: String) -> [Entry] {
    text.split(separator: "\n").prefix(maximum).compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false).map(
        String.init)
      guard fields.count == 5, CallbackURL(fields[2]) != nil, let seen = Int(fields[3]) else {
        return nil
      }
      return Entry(udn: fields[0], name: fields[4], kind: fields[1], url: fields[2], seen: seen)
    }
  }
}

extension KnownDevices.Entry {
  init(_ facts: DeviceFacts) {
    let kind =
      facts.kind.rawValue + (facts.isOpenHome ? ",openhome" : "") + (facts.isAV ? ",av" : "")
    self.init(udn: facts.udn, name: facts.name, kind: kind, url: facts.url, seen: time(nil))
  }
}
