import Foundation
import PackagePlugin

/// Runs `ServiceXMLGenerator` on each service.
@main
struct ServiceXMLPlugin: BuildToolPlugin {
  /// The services that we serve.
  ///
  /// The list is explicit on purpose. With a directory search, a new file would go unnoticed until the package is
  /// planned again, and a missing file would silently remove its service.
  static let services = [
    "AVTransport1", "RenderingControl1", "ConnectionManager1",
    "Product4", "Playlist1", "Info1", "Time1", "Volume4", "Radio2", "Receiver1", "Sender2", "Transport1",
    "Pins1",
  ]

  /// The services of the ZonePlayer device. They need no proxies: nobody here calls them.
  static let zoneServices = [
    "ZoneAVTransport1", "ZoneAlarmClock1", "ZoneConnectionManager1", "ZoneContentDirectory1",
    "ZoneDeviceProperties1", "ZoneGroupManagement1", "ZoneGroupRenderingControl1", "ZoneGroupTopology1",
    "ZoneHousehold1",
    "ZoneMusicServices1", "ZoneQPlay1", "ZoneQueue1", "ZoneRenderingControl1", "ZoneSystemProperties1",
  ]

  /// The services that we only call.
  static let calledServices = ["ContentDirectory1"]

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "ServiceXML")
    let generator = try context.tool(named: "ServiceXMLGenerator").url
    let (half, services) =
      switch target.name {
      case "Proxies": ("proxy", Self.services + Self.calledServices)
      case "RoundTrips": ("round-trips", Self.services + Self.calledServices)
      default: ("provider", Self.services + Self.zoneServices)
      }
    return services.map { name in
      let input = folder.appending(path: "\(name).xml")
      let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
      return .buildCommand(
        displayName: "Generating \(name)", executable: generator,
        arguments: [half, input.path, output.path], inputFiles: [input], outputFiles: [output])
    }
  }
}
