import Testing

@testable import ControlPoint

/// Whatever has happened: once the network is sound again, readers know the truth, and the device holds one subscription.
@Suite struct EventSubscriptionScheduleTests {
  @Test(arguments: 0..<400) func theTruthIsFound(seed: UInt64) {
    var world = SubscriptionWorld(seed: seed)
    world.publisher.seconds = [10, 60, 300, 1800].randomElement(using: &world.random) ?? 1800
    world.publisher.renames = [0, 0, 0, 1, 2].randomElement(using: &world.random) ?? 0
    world.lost = [0, 5, 30].randomElement(using: &world.random) ?? 0
    world.doubled = [0, 20].randomElement(using: &world.random) ?? 0
    world.slowest = [10, 500, 4000].randomElement(using: &world.random) ?? 10
    world.join()
    for _ in 0..<60 {
      switch Int.random(in: 0..<20, using: &world.random) {
      case 0..<9: world.change()
      case 9: world.restart(isAnnounced: true)
      case 10: world.restart(isAnnounced: false)
      case 11: world.sleep(.random(in: 1000...3_600_000, using: &world.random), isNoticed: true)
      case 12: world.sleep(.random(in: 1000...3_600_000, using: &world.random), isNoticed: false)
      case 13, 14: world.join()
      case 15, 16: world.leave()
      default: world.pass(.random(in: 0...1_200_000, using: &world.random))
      }
      world.pass(.random(in: 0...8000, using: &world.random))
    }
    // From now on, all is well. What was missed shows with the next event, or with the next renewal.
    (world.lost, world.doubled, world.slowest) = (0, 0, 10)
    world.join()
    for _ in 0..<8 {
      world.pass(600_000)
      world.change()
    }
    world.pass(60_000)
    #expect(world.faults.isEmpty)
    #expect(world.view == world.publisher.state.mapValues { "\($0)" })
    #expect(!world.isInterrupted)
    #expect(world.publisher.live(at: world.now) == 1)

    while world.machine.readers > 0 { world.leave() }
    world.pass(10_000)
    #expect(world.faults.isEmpty)
    #expect(world.machine.isOver && world.machine.nextWake == nil)
    #expect(world.publisher.live(at: world.now) == 0)
  }
}
