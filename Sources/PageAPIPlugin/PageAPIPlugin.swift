import Foundation
import PackagePlugin

/// Runs `PageAPIGenerator` on the description of the page's API.
@main
struct PageAPIPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let input = context.package.directoryURL.appending(path: "Sources/Page/openapi.json")
    let output = context.pluginWorkDirectoryURL.appending(path: "API.swift")
    return [
      .buildCommand(
        displayName: "Generating the page's API", executable: try context.tool(named: "PageAPIGenerator").url,
        arguments: [input.path, output.path], inputFiles: [input], outputFiles: [output])
    ]
  }
}
