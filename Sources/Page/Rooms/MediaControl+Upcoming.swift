import ControlPoint
import HTTP
import Network
import Renderers

/// The next titles of the room that this speaker listens to, as that one tells them to its page.
struct HostQueue: Sendable {
  var address: ServiceAddress
  var task: Task<Void, Never>
  /// Nil until it has told them.
  var titles: [API.NextTitle]?
  /// The code of its party; nil if it has none.
  var party: String?

  /// Where guests of its party request songs; nil if there is none, or the address means nothing to other machines.
  var partyAddress: String? {
    guard !address.address.needsScope else { return nil }
    return party.map { "http://\(address.address.urlHost):\(address.port)/#/party/\($0)" }
  }
}

extension MediaControl {
  /// How often the room is asked, and how long it may take.
  private static let titlesInterval = Duration.seconds(10)
  private static let titlesTime = Duration.seconds(3)

  /// Asks the room that this speaker listens to, for as long as it does and a page shows it.
  func adjustUpcoming() {
    let address = followed.contains(.rooms) ? heardRoom?.pageAddress : nil
    guard run?.upcoming?.address != address else { return }
    run?.upcoming?.task.cancel()
    run?.upcoming = nil
    guard let address, let exchange = run?.controlPoint.exchange else { return }
    run?.upcoming = HostQueue(
      address: address,
      task: Task {
        while !Task.isCancelled {
          guard await askTitles(at: address, exchange) else { return }
          await eventLoop.pause(for: Self.titlesInterval)
        }
      })
  }

  /// The room that this speaker listens to, if it is one of those that are there.
  var heardRoom: RoomPlace? {
    let places = roomPlaces
    guard let own = places.first(where: \.isSelf)?.room, own.isListening,
      case .room(let udn) = RoomGroups.host(of: own, among: places.filter(\.isThere).compactMap(\.room))
    else { return nil }
    return places.first { !$0.isSelf && $0.isThere && $0.room?.udn == udn }
  }

  /// - Returns: false if the room has no such thing.
  private func askTitles(at address: ServiceAddress, _ exchange: HTTPExchange) async -> Bool {
    let answer = try? await exchange.exchange(
      ExchangeRequest("GET"), to: address, deadline: Self.titlesTime, limit: API.NextTitles.longestAnswer)
    guard !Task.isCancelled, run?.upcoming?.address == address else { return false }
    guard let answer else { return true }
    guard answer.status == 200 else { return answer.status != 404 }
    let next = API.NextTitles(reading: Array(answer.body.readableBytesView))
    if next?.titles != run?.upcoming?.titles || next?.party != run?.upcoming?.party {
      run?.upcoming?.titles = next?.titles
      run?.upcoming?.party = next?.party
      changed(.rooms)
    }
    return true
  }
}

extension RoomPlace {
  /// Where it tells its next titles, if it is a Vireo: on the link that it was found by, and nowhere else.
  fileprivate var pageAddress: ServiceAddress? {
    let locations = remote.devices.filter { $0.udn == remote.udn }.flatMap(\.locations)
    guard var address = locations.first(where: { $0.interface != 0 })?.address else { return nil }
    address.target = "/api/v1/rooms/next"
    return address
  }
}
