import Listening
import SeededRandom
import Testing

/// A machine with a state, a program that may be killed, and servers that do what they like.
private struct World {
  static let today: Int64 = 1_800_000_000_000

  var random: SeededRandom
  var desk: ReportDesk
  var dating: ListenDating
  let sinks: [ReportSink]
  var boot = 1
  var now = Duration.zero
  /// What is on the disk, in order.
  var disk: [ReportDesk.Row] = []
  var writes = 0
  /// What was given to the store and isn't on the disk yet.
  var pending: [ReportDesk.Change] = []
  var calling: [ReportDesk.Order] = []
  /// What each server has taken: how often, by id.
  var taken: [ReportSink: [String: Int]] = [:]
  var dates: [String: Int64] = [:]
  var calls: [ReportSink: [Duration]] = [:]

  init(_ sinks: [ReportSink], seed: UInt64 = 1) {
    random = SeededRandom(seed: seed)
    self.sinks = sinks
    dating = ListenDating(boot: "1", build: 0, known: 0)
    desk = ReportDesk(sinks, boot: "1")
  }

  var time: UpTime { UpTime(now) }

  mutating func readClock(isSet: Bool = true) {
    desk.lookedAtClock(at: now)
    let reading = ClockReading(
      date: isSet ? Self.today + now.components.seconds * 1000 : 0, sinceBoot: now, isSaidToBeSet: isSet)
    if dating.take(reading) {
      desk.dated()
      func date(_ row: inout ReportDesk.Row) { row.place.date = dating.date(of: row.place) }
      for index in disk.indices { date(&disk[index]) }
      for change in pending.indices {
        for index in pending[change].inserted.indices { date(&pending[change].inserted[index]) }
      }
    }
  }

  mutating func say(_ events: ListeningWatch.Event...) {
    give(desk.take(events, at: time, dating, using: &random))
  }

  mutating func give(_ change: ReportDesk.Change) { if !change.isEmpty { pending.append(change) } }

  mutating func listen(_ title: String) -> Listen {
    Listen(source: .playlist, track: .song(title), began: time, heard: .seconds(200))
  }

  /// The store writes.
  mutating func write() {
    guard !pending.isEmpty else { return }
    writes += 1
    for change in pending {
      disk += change.inserted
      disk.removeAll { change.deleted.contains($0.seq) }
      if let last = change.inserted.last { desk.written(through: last.seq) }
    }
    pending = []
  }

  /// The program makes the calls that are due.
  mutating func call() {
    for order in desk.orders(at: now) {
      calling.append(order)
      calls[order.sink, default: []].append(now)
    }
  }

  /// A server answers, or doesn't.
  mutating func answer(_ verdict: ReportVerdict) -> [ReportDesk.Word] {
    guard !calling.isEmpty else { return [] }
    let order = calling.removeFirst()
    let rows = disk.filter { order.seqs.contains($0.seq) }
    let records = order.live.map { [$0] } ?? rows.compactMap { ReportRecord($0.kind, body: $0.body) }
    if order.live == nil, records.isEmpty {
      return desk.ended(order, nil, records: [], at: now, using: &random)
    }
    if case .accepted = verdict {
      for record in records { taken[order.sink, default: [:]][record.id, default: 0] += 1 }
      for (row, record) in zip(rows, records) { dates[record.id] = dating.date(of: row.place) }
    }
    let words = desk.ended(order, verdict, records: records, at: now, using: &random)
    give(desk.takeDeletions())
    return words
  }

  /// kill -9, and a start.
  mutating func crash(machineToo: Bool = false) {
    pending = []
    calling = []
    if machineToo {
      boot += 1
      now = .zero
      dating = ListenDating(boot: "\(boot)", build: 0, known: dating.known)
    }
    desk = ReportDesk(
      sinks,
      kept: disk.map {
        ReportDesk.Kept(seq: $0.seq, sink: $0.sink, bytes: $0.body.utf8.count, place: $0.place)
      }, boot: "\(boot)")
  }

  /// Everything that can be sent is sent.
  mutating func settle() {
    for _ in 0..<10_000 {
      write()
      call()
      if calling.isEmpty {
        guard let due = desk.due, !desk.waitsForClock else { return }
        now = max(now, due)
      }
      _ = answer(.accepted)
    }
  }
}

@Suite struct ReportDeskTests {
  /// A server is called once a second at most: a track of a second would always be the next to be told.
  @Test func whatPlaysNowDoesntKeepListensWaiting() {
    var world = World([.listenBrainz])
    world.readClock()
    for number in 0..<10 {
      let listen = world.listen("\(number)")
      world.say(.began(listen), .named(listen))
      world.call()
      _ = world.answer(.accepted)
      world.say(.heard(listen, .half), .ended(listen))
      world.write()
      world.now += .seconds(1)
    }
    #expect(world.dates.count >= 8, "heard, and sent in between")
    world.settle()
    #expect(world.dates.count == 10 && world.disk.count <= 1)
  }

  @Test func aListenIsWrittenThenSentThenDeletedWithTheNext() {
    var world = World([.listenBrainz])
    world.readClock()
    let listen = world.listen("A")
    world.say(.began(listen), .named(listen))
    #expect(world.pending.isEmpty, "what plays now isn't kept")
    world.say(.heard(listen, .half))
    #expect(world.pending.count == 1 && world.pending[0].inserted.count == 1)
    world.call()
    #expect(world.calling.map(\.live?.kind) == [.now], "it isn't on the disk yet")
    _ = world.answer(.accepted)
    world.write()
    world.call()
    #expect(world.calling.isEmpty, "one call a second")
    world.now += .seconds(1)
    world.call()
    #expect(world.calling.map(\.seqs.count) == [1])
    _ = world.answer(.accepted)
    #expect(world.pending.isEmpty && world.disk.count == 1)
    world.say(.ended(listen), .heard(world.listen("B"), .half))
    world.write()
    #expect(world.disk.count == 1 && world.writes == 2, "one write a listen")
    #expect(world.desk.sent.map(\.record.kind) == [.heard, .now])
  }

  @Test func eachServerGetsWhatItWants() {
    var world = World(ReportSink.allCases)
    world.readClock()
    let listen = world.listen("A")
    world.give(world.desk.started(at: world.time, world.dating, using: &world.random))
    world.say(.began(listen), .named(listen))
    world.say(.beat(listen))
    world.say(.heard(listen, .half), .heard(listen, .halfOfLonger))
    world.say(.ended(listen))
    let kinds = Dictionary(grouping: world.pending.flatMap(\.inserted), by: \.sink).mapValues {
      $0.map(\.kind)
    }
    #expect(kinds == [.listenBrainz: [.heard], .lastFM: [.heard], .webhook: [.started, .began, .ended]])
    world.call()
    #expect(world.calling.isEmpty, "what was live is over")
  }

  @Test func onlyTheLastBeatIsSent() {
    var world = World([.webhook])
    world.readClock()
    var listen = world.listen("A")
    for seconds in [60, 120, 180] {
      listen.heard = .seconds(seconds)
      world.say(.beat(listen))
    }
    world.call()
    #expect(world.calling.map(\.live?.heard) == [.seconds(180)])
    _ = world.answer(.failed("it is off"))
    world.now += .seconds(40)
    world.call()
    #expect(world.calling.isEmpty, "it isn't sent again")
  }

  @Test func withoutAClockListensWait() {
    var world = World([.listenBrainz])
    world.readClock(isSet: false)
    world.say(.heard(world.listen("A"), .half))
    world.write()
    world.now += .seconds(100)
    world.call()
    #expect(world.calling.isEmpty && world.desk.waitsForClock)
    #expect(world.desk.due == .seconds(60), "it looks at the clock once a minute")
    world.readClock()
    world.call()
    #expect(world.calling.count == 1)
    _ = world.answer(.accepted)
    #expect(Array(world.dates.values) == [World.today])
    #expect(world.desk.due == nil)
  }

  @Test func aRunOfTheMachineThatNeverKnewTheTimeIsDropped() {
    var world = World([.listenBrainz])
    world.readClock(isSet: false)
    world.say(.heard(world.listen("A"), .half))
    world.write()
    world.crash()
    #expect(world.desk.dropped.undated == 0 && world.desk.waitsForClock, "the machine still runs")
    world.crash(machineToo: true)
    #expect(world.desk.dropped.undated == 1 && world.desk.status[0].waiting == 0)
    world.readClock()
    world.say(.heard(world.listen("B"), .half))
    world.write()
    #expect(world.disk.count == 1)
  }

  @Test func whatIsForNobodyIsDropped() {
    var world = World([.listenBrainz, .lastFM])
    world.readClock()
    world.say(.heard(world.listen("A"), .half), .heard(world.listen("A"), .halfOfLonger))
    world.write()
    let kept = world.disk.map { ReportDesk.Kept(seq: $0.seq, sink: $0.sink, bytes: 100, place: $0.place) }
    var desk = ReportDesk(
      [.listenBrainz], kept: kept + [.init(seq: 9, sink: nil, bytes: 5, place: kept[0].place)], boot: "1")
    #expect(desk.dropped.unwanted == 2 && desk.status.map(\.waiting) == [1])
    let change = desk.started(at: world.time, world.dating, using: &world.random)
    #expect(change.deleted.count == 2 && change.inserted.isEmpty)
  }

  @Test func aRefusalIsToldAndKeepsAll() {
    var world = World([.listenBrainz])
    world.readClock()
    world.say(.heard(world.listen("A"), .half))
    world.write()
    world.call()
    #expect(world.answer(.refused(.token)) == [.refused(.listenBrainz, .token)])
    world.now += .seconds(100_000)
    world.desk.networkCame()
    world.call()
    #expect(world.calling.isEmpty && world.disk.count == 1)
    world.desk.tryAgain()
    world.call()
    #expect(world.answer(.accepted) == [.worksAgain(.listenBrainz)])
  }

  @Test func aFailureIsToldOnce() {
    var world = World([.listenBrainz])
    world.readClock()
    world.say(.heard(world.listen("A"), .half))
    world.write()
    for words: [ReportDesk.Word] in [[.fails(.listenBrainz, "it is off")], [], []] {
      world.now += .seconds(3600)
      world.call()
      #expect(world.answer(.failed("it is off")) == words)
    }
  }

  @Test func whatAServerWontTakeIsDroppedAlone() {
    var world = World([.listenBrainz])
    world.readClock()
    for title in ["A", "B", "C"] { world.say(.heard(world.listen(title), .half)) }
    world.write()
    var sizes: [Int] = []
    for verdict: ReportVerdict in [.malformed, .malformed, .accepted] {
      world.now += .seconds(1)
      world.call()
      sizes.append(world.calling[0].seqs.count)
      _ = world.answer(verdict)
    }
    #expect(sizes == [3, 1, 1])
    world.settle()
    #expect(world.taken[.listenBrainz]?.count == 2 && world.desk.status[0].spoiled == 1)
  }

  @Test func thousandsAreSentInUnderAMinute() {
    var world = World([.listenBrainz])
    world.readClock()
    for number in 0..<5100 { world.say(.heard(world.listen("\(number)"), .half)) }
    world.write()
    #expect(world.disk.count == 5000 && world.desk.status[0].lost == 100)
    let begin = world.now
    world.settle()
    #expect(world.taken[.listenBrainz]?.count == 5000)
    #expect(world.now - begin < .seconds(60))
    world.write()
    #expect(world.disk.isEmpty, "so many are worth a write")
  }

  /// Kills, restarts of the machine, clocks that aren't set, servers that fail: what was on the disk arrives, with its date.
  @Test(arguments: 0..<60) func nothingIsLost(seed: UInt64) {
    var world = World(ReportSink.allCases, seed: seed)
    var (kept, dropped): (Set<String>, Set<String>) = ([], [])
    var listens = 0
    func ids(_ rows: [ReportDesk.Row]) -> [String] {
      rows.compactMap { ReportRecord($0.kind, body: $0.body)?.id }
    }
    for _ in 0..<300 {
      world.now += .seconds(Int.random(in: 0..<100, using: &world.random))
      switch Int.random(in: 0..<14, using: &world.random) {
      case 0..<4:
        let listen = world.listen("T")
        listens += 1
        world.say(.began(listen), .named(listen))
        world.say(.heard(listen, .half), .heard(listen, .halfOfLonger))
        world.say(.ended(listen))
      case 4, 5:
        let inserted = ids(world.pending.flatMap(\.inserted))
        world.write()
        kept.formUnion(inserted)
      case 6, 7: world.call()
      case 8, 9: _ = world.answer(.accepted)
      case 10:
        _ = world.answer(
          [.failed(""), .limited(nil), .limited(.seconds(5))].randomElement(using: &world.random) ?? .accepted
        )
      case 11: world.crash()
      case 12:
        let before = world.disk
        world.crash(machineToo: true)
        dropped.formUnion(ids(before.filter { $0.place.date == nil }))
      default: world.readClock(isSet: Bool.random(using: &world.random))
      }
    }
    let pending = ids(world.pending.flatMap(\.inserted))
    kept.formUnion(pending)
    world.readClock()
    world.settle()
    let arrived = Set(world.taken.values.flatMap(\.keys))
    #expect(kept.subtracting(dropped).isSubset(of: arrived))
    for (_, times) in world.calls {
      for (first, second) in zip(times, times.dropFirst()) where second > first {
        #expect(second - first > .zero)
      }
    }
    #expect(world.writes <= 3 * listens + 10)
    #expect(arrived.allSatisfy { world.dates[$0] != nil || !kept.contains($0) })
  }
}
