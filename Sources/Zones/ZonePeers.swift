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
  private struct Place {
    var address: String
    var services: [ZoneCall.Service: ServiceLocation] = [:]
  }

  /// Zones renew their subscriptions well within this time, in seconds: who has gone without a word is missed by then.
  private static let eventSeconds = 300
  private static let callTime = Duration.seconds(3)
  private static let deviceType = "urn:schemas-upnp-org:device:ZonePlayer:1"

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    eventLoop.executor.asUnownedSerialExecutor()
  }
  private nonisolated let eventLoop: any EventLoop
  private nonisolated let handlers = Mutex<Handlers?>(nil)
  private nonisolated let controlPoint: ControlPoint
  private let manufacturer: String
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

  /// Asks the device at `location` who it is.
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
    guard let root = devices.first, root.udn == uid, root.type == Self.deviceType,
      root.manufacturer == manufacturer, let address = root.locations.first?.address.address.unmapped
    else { return .other }
    var place = Place(address: "\(address)")
    for service in ZoneCall.Service.allCases {
      place.services[service] = devices.lazy.compactMap { $0.service(service.type) }.first
    }
    guard place.services[.household]?.events != nil else { return .other }
    places[uid] = place
    return .zone
  }

  /// Follows what a zone tells that was asked before. Nothing changes when it is followed already.
  public func follow(_ uid: String) {
    guard followers[uid] == nil, let place = places[uid], let location = place.services[.household] else {
      return
    }
    let changes = controlPoint.service(location).changes()
    followers[uid] = Task { [weak self] in
      var values: [String: String] = [:]
      var isOver = false
      var iterator = changes.makeAsyncIterator()
      while !isOver, !Task.isCancelled {
        do throws(ChangesEnd) {
          switch try await iterator.next() {
          case .all(let all):
            values = Self.named(all)
            await self?.tell(values, of: uid, at: place.address)
          case .changed(let changed):
            values.merge(Self.named(changed)) { $1 }
            await self?.tell(values, of: uid, at: place.address)
          case .interrupted: await self?.doubt(uid)
          case nil: isOver = true
          }
        } catch {
          isOver = true
        }
      }
      if !Task.isCancelled { await self?.ended(uid) }
    }
  }

  /// Follows a zone at the place where it was asked last.
  public func moved(_ uid: String) {
    let place = places[uid]
    forget(uid)
    places[uid] = place
    follow(uid)
  }

  /// Follows a zone anew that has started again.
  public func restarted(_ uid: String) {
    controlPoint.subscriptions.assumeIsolated { $0.deviceRestarted(uid) }
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
    followers = [:]
    places = [:]
    await controlPoint.stop()
  }

  private static func named(_ values: [ServiceValue]) -> [String: String] {
    Dictionary(values.map { ($0.variable.name, $0.value) }) { $1 }
  }

  private func tell(_ values: [String: String], of uid: String, at address: String) {
    guard followers[uid] != nil, let facts = ZoneFacts(uid: uid, address: address, values: values) else {
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
