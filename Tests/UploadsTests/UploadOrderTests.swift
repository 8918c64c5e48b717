import SeededRandom
import Testing

@testable import Uploads

@Suite struct UploadOrderTests {
  /// A queue that lets those join whose turn it is.
  private struct Queue {
    var order = UploadOrder()
    var joined: [String] = []
    private var lastID: UInt32 = 0

    mutating func settle(_ batch: String = "b") {
      while let turn = order.next(in: batch) {
        lastID += 1
        joined.append(turn.key)
        order.queued(turn.key, batch: batch, as: lastID)
      }
    }
  }

  @Test func whoComesFirstWaitsForThoseBeforeIt() {
    var queue = Queue()
    for (place, key) in ["a", "b", "c"].enumerated() { queue.order.begin(key, batch: "b", place: place) }
    queue.order.arrived("b", batch: "b")
    queue.settle()
    #expect(queue.joined == [])
    queue.order.arrived("a", batch: "b")
    queue.settle()
    #expect(queue.joined == ["a", "b"])
    queue.order.failed("c", batch: "b")
    queue.settle()
    #expect(queue.order.next(in: "b") == nil)
  }

  @Test func extremePlacesAreTaken() {
    var queue = Queue()
    for (key, place) in [("c", Int.max), ("d", .max), ("a", .min), ("b", .min)] {
      queue.order.begin(key, batch: "b", place: place)
      queue.order.arrived(key, batch: "b")
    }
    queue.settle()
    #expect(queue.joined == ["a", "b", "c", "d"])
  }

  @Test func aTurnNamesThoseBeforeIt() {
    var order = UploadOrder()
    order.begin("z", batch: "b", place: 9)
    order.arrived("z", batch: "b")
    #expect(order.next(in: "b") == UploadOrder.Turn(key: "z", earlier: []))
    order.queued("z", batch: "b", as: 7)
    // One that was tried again comes in front of it.
    order.begin("a", batch: "b", place: 1)
    order.arrived("a", batch: "b")
    #expect(order.next(in: "b") == UploadOrder.Turn(key: "a", earlier: []))
    order.queued("a", batch: "b", as: 8)
    order.begin("m", batch: "b", place: 5)
    order.arrived("m", batch: "b")
    #expect(order.next(in: "b") == UploadOrder.Turn(key: "m", earlier: [8]))
  }

  @Test func aBatchWithoutEndIsForgottenFromItsBeginning() {
    var queue = Queue()
    for place in 0..<UploadOrder.mostPlaces + 5 {
      queue.order.begin("\(place)", batch: "b", place: place)
      queue.order.arrived("\(place)", batch: "b")
      queue.settle()
    }
    #expect(queue.joined.count == UploadOrder.mostPlaces + 5)
    queue.order.begin("last", batch: "b", place: .max / 2)
    queue.order.arrived("last", batch: "b")
    let turn = queue.order.next(in: "b")
    #expect(turn?.earlier.count == UploadOrder.mostPlaces - 1)
    #expect(turn?.earlier.last == UInt32(UploadOrder.mostPlaces + 5))
  }

  @Test func batchesDontWaitForEachOther() {
    var queue = Queue()
    queue.order.begin("a", batch: "1", place: 0)
    queue.order.begin("b", batch: "2", place: 1)
    queue.order.arrived("b", batch: "2")
    queue.settle("2")
    #expect(queue.joined == ["b"])
  }

  @Test func oldBatchesAreForgottenButNotThoseThatAreComing() {
    var order = UploadOrder()
    order.begin("first", batch: "first", place: 0)
    for number in 0..<100 {
      let name = "\(number)"
      order.begin(name, batch: name, place: 0)
      order.arrived(name, batch: name)
      order.queued(name, batch: name, as: 1)
    }
    order.arrived("first", batch: "first")
    #expect(order.next(in: "first")?.key == "first")
  }

  /// Whatever order they arrive in, they join in the order of their places, without those that failed.
  @Test(arguments: 0..<100) func theOrderIsKept(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var queue = Queue()
    let keys = (0..<20).map { "\($0)" }
    for (place, key) in keys.enumerated().shuffled(using: &random) {
      queue.order.begin(key, batch: "b", place: place)
    }
    var failed: Set<String> = []
    for key in keys.shuffled(using: &random) {
      if Int.random(in: 0..<4, using: &random) == 0 {
        failed.insert(key)
        queue.order.failed(key, batch: "b")
      } else {
        queue.order.arrived(key, batch: "b")
      }
      queue.settle()
    }
    #expect(queue.joined == keys.filter { !failed.contains($0) }, "seed \(seed)")
  }
}
