import ControlPoint
import HTTP
import Logging
import NIOCore
import Network
import Services
import Synchronization
import UPnP

/// The other zones of this program: asks who they are, follows what they tell, and calls their actions.
///
/// Runs on the event loop that it was made with. It has no socket and no timer while there are none. Which ones it asks and follows,
/// and how many, others decide.
public actor ZonePeers {
  /// What has come of asking a device who it is.
  public enum Answer: Sendable, Hashable {
    /// It is a zone of this program.
    case zone
    /// It is something else.
    case other
    /// It doesn't answer.
    case silent
  }

  /// What it tells its owner, on the event loop.
  public struct Handlers: Sendable {
    /// A zone tells this of itself.
    public var told: @Sendable (ZoneFacts) -> Void
    /// It may have gone: its events have ended, or somebody says so.
    public var doubted: @Sendable (_ uid: String) -> Void

    public init(
      told: @escaping @Sendable (ZoneFacts) -> Void, doubted: @escaping @Sendable (_ uid: String) -> Void
    ) {
      self.told = told
      self.doubted = doubted
    }
  }

  /// Where a zone is and what it has.
  private struct Place: Equatable {
    var address: String
    var services: [ZoneCall.Service: ServiceLocation] = [:]
  }

  /// Zones renew their subscriptions well within this time, in seconds: who has gone without a word is missed by then.
  private static let eventSeconds = 300
  private static let callTime = Duration.seconds(3)

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    eventLoop.executor.asUnownedSerialExecutor()
  }
  private nonisolated let eventLoop: any EventLoop
  private nonisolated let handlers = Mutex<Handlers?>(nil)
  private nonisolated let controlPoint: ControlPoint
  private let manufacturer: String
  /// Zones that were asked a moment ago.
  private var found: [String: Place] = [:]
  /// Zones that are followed, or were until their events ended.
  private var places: [String: Place] = [:]
  private var followers: [String: Task<Void, Never>] = [:]

  /// Makes it; it does nothing yet.
  ///
  /// - Parameters:
  ///   - manufacturer: by whom the zones of this program are made.
  ///   - userAgent: see `ControlPointConfiguration`.
  public init(eventLoop: any EventLoop, manufacturer: String, userAgent: String, logger: Logger) {
    self.eventLoop = eventLoop
    self.manufacturer = manufacturer
    var configuration = ControlPointConfiguration()
    configuration.ipv6 = false
    configuration.followsNetwork = false
    configuration.listensForEvents = false
    configuration.userAgent = userAgent
    configuration.eventSeconds = Self.eventSeconds
    controlPoint = ControlPoint(eventLoop: eventLoop, configuration: configuration, logger: logger)
  }

  /// Takes the events of other zones: one of the responders at the port of zones.
  public nonisolated var responder: any Responder { controlPoint.subscriptions }

  /// Sets whom it tells.
  public nonisolated func setHandlers(_ handlers: Handlers) { self.handlers.withLock { $0 = handlers } }

  /// Sets the interfaces at whose networks zones are.
  public func networkChanged(_ interfaces: [NetworkInterface]) {
    controlPoint.assumeIsolated { $0.setInterfaces(interfaces) }
    controlPoint.subscriptions.assumeIsolated {
      $0.setListening(HTTPServer.Listening(port: ZoneIdentity.port, ipv6: false))
    }
  }

  /// Asks the device at `location` who it is. After ``Answer/zone`` it is to be followed (``follow(_:)``) or dismissed.
  ///
  /// - Parameters:
  ///   - uid: who it says that it is.
  ///   - location: the URL of its description, which the owner has checked.
  public func ask(_ uid: String, at location: String) async -> Answer {
    let devices: [FoundDevice]
    do throws(ActionFailure) {
      devices = try await controlPoint.devices(at: location)
    } catch {
      switch error {
      case .malformed, .tooLarge: return .other
      case .fault, .status, .timeout, .unreachable, .cancelled: return .silent
      }
    }
    guard let root = devices.first, root.udn == uid, root.type == ZoneDevice.type,
      root.manufacturer == manufacturer, let place = root.locations.first?.address
    else { return .other }
    // A description may name services at other hosts of the link; those of a zone are where the zone is.
    func isThere(_ address: ServiceAddress) -> Bool {
      address.address.unmapped == place.address.unmapped && address.port == place.port
    }
    var zone = Place(address: "\(place.address.unmapped)")
    for service in ZoneCall.Service.allCases {
      zone.services[service] = devices.lazy.compactMap { $0.service(service.type) }
        .first { isThere($0.control) && $0.events.map(isThere) ?? true }
    }
    guard zone.services[.household]?.events != nil else { return .other }
    found[uid] = zone
    return .zone
  }

  /// Forgets what ``ask(_:at:)`` has found of a zone that isn't followed there.
  public func dismiss(_ uid: String) { found[uid] = nil }

  /// Follows what a zone tells, where it was found last. Nothing changes when it is followed there already.
  public func follow(_ uid: String) {
    if let new = found.removeValue(forKey: uid), new != places[uid] {
      forget(uid)
      places[uid] = new
    }
    guard followers[uid] == nil, let place = places[uid], let location = place.services[.household] else {
      return
    }
    let changes = controlPoint.service(location).changes()
    followers[uid] = Task { [weak self] in
      var values = ToldValues()
      var iterator = changes.makeAsyncIterator()
      while !Task.isCancelled, let change = try? await iterator.next() {
        values.take(change)
        if change == .interrupted {
          await self?.doubt(uid)
        } else {
          await self?.tell(values.texts, of: uid, at: place.address)
        }
      }
      if !Task.isCancelled { await self?.ended(uid) }
    }
  }

  /// Follows a zone anew that has started again.
  public func restarted(_ uid: String) {
    controlPoint.subscriptions.assumeIsolated { $0.deviceRestarted(uid) }
    // It may have refused that before.
    follow(uid)
  }

  /// Forgets a zone.
  public func forget(_ uid: String) {
    followers.removeValue(forKey: uid)?.cancel()
    places[uid] = nil
    controlPoint.subscriptions.assumeIsolated { $0.deviceGone(uid) }
  }

  /// Ends everything.
  public func stop() async {
    for task in followers.values { task.cancel() }
    (followers, places, found) = ([:], [:], [:])
    await controlPoint.stop()
  }

  private func tell(_ values: [String: String], of uid: String, at address: String) {
    // A task that was replaced may still bring what was told elsewhere.
    guard !Task.isCancelled, followers[uid] != nil,
      let facts = ZoneFacts(uid: uid, address: address, values: values)
    else {
      return
    }
    handlers.withLock(\.self)?.told(facts)
  }

  private func ended(_ uid: String) {
    followers[uid] = nil
    doubt(uid)
  }

  private func doubt(_ uid: String) { handlers.withLock(\.self)?.doubted(uid) }
}

/// What a zone has told: the latest value of each variable of its Household service. It doesn't grow, whatever is told.
struct ToldValues {
  private(set) var texts: [String: String] = [:]

  mutating func take(_ change: ServiceChange) {
    switch change {
    case .all(let values):
      texts = [:]
      set(values)
    case .changed(let values): set(values)
    case .interrupted: break
    }
  }

  private mutating func set(_ values: [ServiceValue]) {
    for value in values where ZoneFacts.names.contains(value.variable.name) {
      texts[value.variable.name] = value.value
    }
  }
}

extension ZonePeers: ZoneNeighbours {
  public func call(_ call: ZoneCall, of uid: String) async -> Bool {
    guard let location = places[uid]?.services[call.service] else { return false }
    var service = controlPoint.service(location)
    service.timeout = Self.callTime
    do throws(ActionFailure) {
      _ = try await service.call(call.action, call.arguments)
      return true
    } catch {
      if error == .timeout || error == .unreachable { doubt(uid) }
      return false
    }
  }

  public nonisolated func check(_ uid: String) {
    let handlers = handlers.withLock(\.self)
    eventLoop.execute { handlers?.doubted(uid) }
  }
}
