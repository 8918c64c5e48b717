import NIOCore
import SeededRandom
import Text

@testable import ControlPoint
@testable import HTTP
@testable import UPnP

extension FuzzTarget {
  /// What the device of a subscription does, in blocks that a line with `%` ends. The first line of a block says what
  /// happens; header fields follow, and a body behind an empty line.
  static let subscription = FuzzTarget(
    name: "subscription", maximumLength: 8192,
    words: [
      "%\n", "JOIN\n", "LEAVE\n", "WAIT\n", "RESTART\n", "PATH\n",
      "GRANT\nSID: uuid:a\nTIMEOUT: Second-300\n%\n",
      "GRANT\nSID: uuid:b\n%\n", "FAIL\n", "FAIL 412\n", "FAIL 404\n",
      "NOTIFY\nNT: upnp:event\nNTS: upnp:propchange\nSID: uuid:a\nSEQ: 0\n\n", "SEQ: 1\n", "SEQ: 2\n",
      "SEQ: 4294967295\n", "SID: uuid:b\n", "<propertyset><property>", "<Volume>1</Volume>", "<LastChange>",
      "&lt;Event&gt;&lt;InstanceID val='0'&gt;&lt;Volume channel='Master' val='1'/&gt;",
      "</property></propertyset>",
    ]
  ) { bytes in
    var device = ScriptedSubscription()
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    for block in lines.split(separator: "%") { try device.play(Array(block)) }
    try device.finish()
  }
}

/// A machine and its reader, with what a script makes of them.
private struct ScriptedSubscription {
  private var machine = EventSubscription()
  private var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
  private var queue = ChangeQueue()
  private var token = 0
  private var random = SeededRandom(seed: 1)

  mutating func play(_ lines: [Substring]) throws {
    var fields = HeaderFields()
    let head = lines.dropFirst().prefix { !$0.isEmpty }
    for line in head {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2 else { continue }
      fields.append(name: pair[0].lowercased(), value: pair[1].trimmingASCIISpace)
    }
    let body = lines.dropFirst(head.count + 2).joined(separator: "\n")
    let words = (lines.first ?? "").split(separator: " ")
    switch words.first {
    case "JOIN": try run(machine.readerCame(now: now))
    case "LEAVE": if machine.readers > 0 { try run(machine.readerLeft(now: now)) }
    case "WAIT": try wait()
    case "RESTART": try run(machine.deviceRestarted(now: now))
    case "PATH": try run(machine.pathChanged(now: now))
    case "GRANT":
      try run(machine.granted(token, SubscriptionReply(fields: fields), now: now, using: &random))
    case "FAIL": try run(machine.failed(token, status: words.last.flatMap { Int($0) }, now: now))
    default: try notify(fields, body)
    }
  }

  private mutating func notify(_ fields: HeaderFields, _ body: String) throws {
    guard let head = try? EventHead(fields: fields) else { return }
    try promise(
      head.sid.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a SID that can't be sent: \(head.sid)")
    let expected = machine.verdict(sid: head.sid, bytes: body.utf8.count)
    let values = EventBody.values(ByteBuffer(string: body))
    let (verdict, effects) = machine.notified(
      .init(head: head, values: values, bytes: body.utf8.count), now: now)
    try promise(verdict == expected, "\(verdict) behind \(expected)")
    try run(effects)
  }

  private mutating func wait() throws {
    guard let due = machine.nextWake else { return }
    now = max(now, due)
    try run(machine.tick(now: now))
    try promise(machine.nextWake ?? .distantFuture > now, "it would spin")
  }

  private mutating func run(_ effects: EventSubscription.Effects) throws {
    for change in effects.changes { queue.put(change) }
    for request in effects.requests {
      switch request {
      case .subscribe(let token): self.token = token
      case .renew(let sid, let token):
        self.token = token
        try check(sid)
      case .unsubscribe(let sid): try check(sid)
      }
    }
    try promise(machine.early.count <= machine.limits.earlyEvents, "\(machine.early.count) are kept")
    try promise(machine.readers > 0 || machine.grant == nil && machine.nextWake == nil, "nobody reads")
    try promise(effects.requests.count <= 3, "\(effects.requests.count) requests at once")
    if case .success(.all(let values)) = queue.take() {
      try promise(values.count <= ValueTable.maximumCount, "\(values.count) values")
      let table = ValueTable(values)
      try promise(table.values == values, "a variable twice: \(values)")
      try promise(table.bytes <= ValueTable.maximumBytes, "\(table.bytes) bytes")
    }
  }

  private func check(_ sid: String) throws {
    for call in [SubscriptionCall.renew(sid: sid, seconds: 1800), .unsubscribe(sid: sid)] {
      for field in call.fields {
        try promise(field.value.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "would end a line: \(field)")
      }
    }
  }

  /// All leave, and the last request is answered: nothing is left.
  mutating func finish() throws {
    while machine.readers > 0 { try run(machine.readerLeft(now: now)) }
    try run(machine.failed(token, status: nil, now: now))
    try promise(machine.isOver, "it isn't over: \(machine.phase)")
  }
}
