import NIOCore
import Network
import SeededRandom
import Testing
import UPnP

@testable import ControlPoint

@Suite struct DeviceChangeQueueTests {
  static func device(_ udn: String, name: String = "") -> FoundDevice? {
    var rig = TableRig()
    rig.hear(TableRig.notice(udn: udn))
    rig.answer(TableRig.document(udn, name: name))
    return rig.table.devices.first
  }

  @Test func severalChangesOfADeviceBecomeOne() throws {
    let one = try #require(Self.device("a", name: "1"))
    let two = try #require(Self.device("a", name: "2"))
    var queue = DeviceChangeQueue()
    queue.add(.appeared(one))
    queue.add(.updated(two))
    #expect(queue.count == 1)
    #expect(queue.next() == .appeared(two))
    queue.add(.restarted(one))
    queue.add(.updated(two))
    #expect(queue.next() == .restarted(two))
    queue.add(.left(one))
    queue.add(.appeared(two))
    #expect(queue.next() == .restarted(two))
    queue.add(.updated(one))
    queue.add(.expired(one))
    #expect(queue.next() == .expired(one))
    queue.add(.appeared(one))
    queue.add(.left(one))
    #expect(queue.count == 0 && queue.next() == nil && queue.told.isEmpty)
  }

  /// Whatever happens between two reads, the reader's picture becomes the present one, and the queue stays short.
  @Test(arguments: 0..<40 as Range<UInt64>) func theReaderGetsTheTruth(seed: UInt64) throws {
    let devices = try (0..<6).map { number in
      try (0..<3).map { try #require(Self.device("\(number)", name: "\($0)")) }
    }
    var random = SeededRandom(seed: seed)
    var queue = DeviceChangeQueue()
    var truth: [String: FoundDevice] = [:]
    var picture: [String: FoundDevice] = [:]
    var restarts: [String: Int] = [:]

    func read() throws {
      guard let change = queue.next() else { return }
      let device = change.device
      switch change {
      case .appeared: #expect(picture.updateValue(device, forKey: device.udn) == nil)
      case .updated, .restarted:
        #expect(picture.updateValue(device, forKey: device.udn) != nil)
        if case .restarted = change {
          restarts[device.udn] = nil
        } else {
          #expect(restarts[device.udn] == nil)
        }
      case .expired, .left:
        #expect(picture.removeValue(forKey: device.udn) != nil)
        restarts[device.udn] = nil
      }
    }
    for _ in 0..<2000 {
      let device = devices[Int.random(in: 0..<6, using: &random)][Int.random(in: 0..<3, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: try read()
      case 2, 3:
        if truth.removeValue(forKey: device.udn) != nil {
          queue.add(Bool.random(using: &random) ? .left(device) : .expired(device))
        }
      default:
        if truth.updateValue(device, forKey: device.udn) == nil {
          queue.add(.appeared(device))
          if picture[device.udn] != nil { restarts[device.udn] = 1 }
        } else if Bool.random(using: &random) {
          queue.add(.updated(device))
        } else {
          queue.add(.restarted(device))
          if picture[device.udn] != nil { restarts[device.udn] = 1 }
        }
      }
      #expect(queue.count <= devices.count)
    }
    while queue.count > 0 { try read() }
    #expect(picture == truth && restarts.isEmpty)
  }
}
