import SeededRandom
import Testing

@testable import Rooms

/// The host answers those who ask for the room time.
@Suite struct RoomTimeHostTests {
  private static let second: Int64 = 1_000_000_000
  private let anchor = RoomAnchor(
    epoch: 3, frame: 77, heard: 101 * second, rate: 1200, isMeasured: true, httpPort: 80)

  private func host() -> RoomTimeHost { RoomTimeHost(random: SeededRandom(seed: 1)) }
  private func member(_ number: UInt32) -> IPv4Endpoint {
    IPv4Endpoint(address: 0x0a00_0000 + number, port: 40000)
  }

  @Test func memberIsAnswered() throws {
    var host = host()
    #expect(host.offset >= 1 << 50 && host.offset != RoomTimeHost(random: SeededRandom(seed: 2)).offset)
    let request = RoomTimeRequest(nonce: 99, report: RoomReport(state: .ready, error: 40))
    let now = 100 * Self.second
    let answer = host.reply(
      to: request.bytes[...], from: member(2), arrival: now - 50_000, at: now, isMember: true, anchor: anchor)
    let bytes = try #require(answer)
    let reply = try #require(RoomTimeReply(bytes[...]))
    #expect(bytes.count == 64, "no more than was asked")
    #expect(reply.nonce == 99 && reply.t2 == now - 50_000 + host.offset && reply.t3 == now + host.offset)
    var expected = anchor
    expected.heard = 101 * Self.second + host.offset
    #expect(reply.anchor == expected)
    let known = try #require(host.members.first)
    #expect(known.address == member(2).address && known.report == request.report && known.heard == now)
  }

  @Test func whatIsNotKnownStaysUnknown() throws {
    var host = host()
    let answer = host.reply(
      to: RoomTimeRequest(nonce: 1).bytes[...], from: member(2), arrival: 9, at: 5, isMember: true,
      anchor: RoomAnchor())
    let bytes = try #require(answer)
    let reply = try #require(RoomTimeReply(bytes[...]))
    #expect(reply.anchor.heard == nil)
    #expect(reply.t2 == reply.t3, "it didn't come after it was answered")
  }

  @Test func othersAreNot() {
    var host = host()
    let request = RoomTimeRequest(nonce: 1).bytes
    let reply = RoomTimeReply(nonce: 1, t2: 0, t3: 0, anchor: anchor).bytes
    for (datagram, isMember) in [
      (request, false), (Array(request.dropLast()), true), (request + [0], true), (reply, true), ([], true),
    ] {
      let answer = host.reply(
        to: datagram[...], from: member(2), arrival: 0, at: 0, isMember: isMember, anchor: anchor)
      #expect(answer == nil)
    }
    #expect(host.members.isEmpty)
  }

  /// Asks at each of `times`; says how many answers there were in the fullest second.
  private func answersInASecond(_ host: inout RoomTimeHost, _ asked: [(time: Int64, member: UInt32)]) -> Int {
    var answered: [Int64] = []
    for (time, number) in asked {
      let reply = host.reply(
        to: RoomTimeRequest(nonce: 1).bytes[...], from: member(number), arrival: time, at: time,
        isMember: true, anchor: anchor)
      if reply != nil { answered.append(time) }
    }
    var (most, first) = (0, 0)
    for (index, time) in answered.enumerated() {
      while time - answered[first] >= Self.second { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }

  @Test func oneMemberIsAnsweredFortyTimesASecondAtMost() {
    var host = host()
    let storm = (0..<5000).map { (time: 100 * Self.second + Int64($0) * 1_000_000, member: UInt32(2)) }
    #expect((30...40).contains(answersInASecond(&host, storm)))
    // Another isn't affected.
    #expect(answersInASecond(&host, [(105 * Self.second, 3)]) == 1)
  }

  @Test func aMemberThatAsksAsItShouldIsAlwaysAnswered() {
    var host = host()
    let fast = (0..<17).map { Int64($0) * 20_000_000 }
    let slow = (1...100).map { 320_000_000 + Int64($0) * 100_000_000 }
    let answered = (fast + slow).filter { answersInASecond(&host, [(100 * Self.second + $0, 2)]) == 1 }
    #expect(answered.count == 117)
  }

  @Test func aStormOfMembersIsBounded() {
    var host = host()
    var random = SeededRandom(seed: 2)
    let storm = (0..<20_000).map {
      (time: 100 * Self.second + Int64($0) * 100_000, member: UInt32.random(in: 2...101, using: &random))
    }
    #expect((300...400).contains(answersInASecond(&host, storm)))
    #expect(host.members.count <= 64)
    // Sixteen that ask as they should.
    let later = (0..<160).map { (time: 120 * Self.second + Int64($0) * 6_250_000, member: UInt32($0 % 16)) }
    #expect(answersInASecond(&host, later) == 160)
  }

  @Test func membersAreForgotten() {
    var host = host()
    #expect(answersInASecond(&host, [(100 * Self.second, 2), (105 * Self.second, 3)]) == 1)
    host.forget(at: 110 * Self.second)
    #expect(host.members.map(\.address) == [member(2).address, member(3).address])
    host.forget(at: 111 * Self.second)
    #expect(host.members.map(\.address) == [member(3).address])
    #expect(answersInASecond(&host, [(120 * Self.second, 4)]) == 1)
    #expect(host.members.map(\.address) == [member(4).address])
  }
}
