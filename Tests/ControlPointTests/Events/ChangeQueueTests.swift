import Testing

@testable import ControlPoint

@Suite struct ChangeQueueTests {
  private func value(_ name: String, _ value: String) -> ServiceValue { ServiceValue(.init(name), value) }

  @Test func aSlowReaderGetsTheLatestValues() {
    var queue = ChangeQueue()
    queue.put(.all([value("A", "1"), value("B", "1")]))
    queue.put(.changed([value("B", "2")]))
    queue.put(.changed([value("B", "3"), value("C", "3")]))
    #expect(queue.take() == .success(.all([value("A", "1"), value("B", "3"), value("C", "3")])))
    #expect(queue.take() == nil)
    for number in 0..<1000 { queue.put(.changed([value("A", "\(number)")])) }
    #expect(queue.take() == .success(.changed([value("A", "999")])))
    #expect(queue.take() == nil)
  }

  @Test func channelsAndInstancesAreVariablesOfTheirOwn() {
    var queue = ChangeQueue()
    let all = [
      ServiceValue(.init("Volume", channel: "Master", instance: 0), "1"),
      ServiceValue(.init("Volume", channel: "LF", instance: 0), "2"),
      ServiceValue(.init("Volume", channel: "LF", instance: 1), "3"),
      ServiceValue(.init("Volume"), "4"),
    ]
    for value in all { queue.put(.changed([value])) }
    #expect(queue.take() == .success(.changed(all)))
  }

  @Test func theWholeStateSupersedesEverything() {
    var queue = ChangeQueue()
    queue.put(.all([value("A", "1")]))
    queue.put(.interrupted)
    queue.put(.all([value("B", "1")]))
    #expect(queue.take() == .success(.all([value("B", "1")])))
    #expect(queue.take() == nil)
    queue.put(.all([]))
    #expect(queue.take() == .success(.all([])), "nothing is known any more")
  }

  @Test func interruptionAndEndComeBehindWhatWaits() {
    var queue = ChangeQueue()
    queue.put(.changed([value("A", "1")]))
    queue.put(.interrupted)
    queue.put(.interrupted)
    queue.end(.deviceGone)
    queue.end(.stopped)
    queue.put(.changed([value("A", "2")]))
    #expect(queue.take() == .success(.changed([value("A", "1")])))
    #expect(queue.take() == .success(.interrupted))
    #expect(queue.take() == .failure(.deviceGone))
    #expect(queue.take() == .failure(.deviceGone))
  }

  @Test func valuesAreBounded() {
    var table = ValueTable()
    for number in 0...ValueTable.maximumCount { table.set([value("\(number)", "")]) }
    #expect(table.values.count == ValueTable.maximumCount)
    table.set([value("0", "x")])
    #expect(table.values.first?.value == "x")
    let long = String(repeating: "x", count: ValueTable.maximumBytes)
    table.set([value("1", long)])
    #expect(table.values.count == ValueTable.maximumCount - 1, "an old value must not stay for the new one")
    #expect(!table.values.contains { $0.variable.name == "1" })
    table = ValueTable([value("a", String(long.dropLast(2)))])
    table.set([value("b", "2")])
    #expect(table.values.map(\.variable.name) == ["a"])
    table.set([value("a", ""), value("b", "2")])
    #expect(table.values.map(\.value) == ["", "2"] && table.bytes == 3)
  }

  @Test(.timeLimit(.minutes(1))) func aReaderWaitsAndCanBeCancelled() async {
    let inbox = ChangeInbox()
    let reader = Task { await inbox.next() }
    inbox.put(.changed([value("A", "1")]))
    #expect(await reader.value == .success(.changed([value("A", "1")])))
    let cancelled = Task { await inbox.next() }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    #expect(await inbox.next() == nil, "it stays so")
  }
}
