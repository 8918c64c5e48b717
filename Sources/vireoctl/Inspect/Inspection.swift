import ControlPoint
import HTTP
import SCPD
import UPnP
import XML

/// A device as its descriptions have it.
struct Inspection: Sendable {
  struct Service: Sendable {
    var location: ServiceLocation
    /// What its own description says, or why that can't be read.
    var description: Result<ServiceDescription, ActionFailure>
  }

  var device: DeviceDescription
  var url: String
  /// Where it is, if it was found by searching; the first is the one that was read.
  var locations: [String]
  var server: String
  var bootID: Int?
  var configID: Int?
  var services: [Service]

  /// Reads everything anew. Services whose description can't be read are part of the result.
  static func read(_ found: FoundDevice, _ session: Session) async throws -> Inspection {
    guard let location = found.locations.first else {
      throw Failure(ActionFailure.unreachable, from: found.friendlyName)
    }
    let description: DeviceDescription
    do throws(ActionFailure) {
      let response = try await session.controlPoint.exchange.exchange(
        ExchangeRequest("GET"), to: location.address, deadline: .seconds(5),
        limit: RootDescription.limits.bytes)
      guard response.status == 200 else { throw .status(response.status) }
      guard let root = try? RootDescription.read(response.body),
        let read = root.device.embedded(udn: found.udn)
      else { throw .malformed }
      description = read
    } catch { throw Failure(error, from: found.friendlyName) }
    return Inspection(
      device: description, url: location.url, locations: found.locations.map(\.url), server: found.server,
      bootID: found.bootID, configID: found.configID,
      services: await services(found.services, session))
  }

  static func services(_ locations: [ServiceLocation], _ session: Session) async -> [Service] {
    await withTaskGroup(of: (Int, Service).self) { group in
      for (index, location) in locations.enumerated() {
        group.addTask {
          do throws(ActionFailure) {
            let description = try await session.controlPoint.service(location).description()
            return (index, Service(location: location, description: .success(description)))
          } catch { return (index, Service(location: location, description: .failure(error))) }
        }
      }
      var read: [Int: Service] = [:]
      for await (index, service) in group { read[index] = service }
      return locations.indices.compactMap { read[$0] }
    }
  }
}

extension DeviceDescription {
  /// This device, or one that is embedded in it.
  fileprivate func embedded(udn: String) -> DeviceDescription? {
    if self.udn.lowercased() == udn.lowercased() { return self }
    for device in devices {
      if let found = device.embedded(udn: udn) { return found }
    }
    return nil
  }
}
