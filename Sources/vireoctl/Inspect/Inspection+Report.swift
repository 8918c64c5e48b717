import ControlPoint
import SCPD
import UPnP

extension Inspection {
  /// What is shown of it.
  ///
  /// - Parameter hasActions: true to show each service's actions and variables; the JSON always has them.
  func report(hasActions: Bool) -> Report {
    var lines = [device.friendlyName]
    for (name, value) in facts where !value.isEmpty { lines.append("  \(Self.padded(name, 13)) \(value)") }
    for icon in device.icons {
      lines.append("  \(Self.padded("icon", 13)) \(icon.width)×\(icon.height) \(icon.mimeType) \(icon.url)")
    }
    for embedded in device.devices {
      lines.append(
        "  \(Self.padded("embedded", 13)) \(embedded.friendlyName)  \(embedded.deviceType)  \(embedded.udn)")
    }
    for service in services {
      lines.append("")
      lines += service.lines(hasActions: hasActions)
    }
    if !hasActions, !services.isEmpty {
      lines += ["", "Name a service to see its actions, or say --actions."]
    }
    return .lines(lines, json: json)
  }

  /// What is shown of some of its services alone.
  static func report(of services: [Service]) -> Report {
    .lines(
      Array(services.flatMap { $0.lines(hasActions: true) + [""] }.dropLast()),
      json: .array(services.map(\.json)))
  }

  private var facts: KeyValuePairs<String, String> {
    [
      "type": device.deviceType, "UDN": device.udn,
      "manufacturer": [device.manufacturer, device.manufacturerURL ?? ""].filter { !$0.isEmpty }.joined(
        separator: "  "),
      "model": [device.modelName, device.modelNumber].filter { !$0.isEmpty }.joined(separator: " "),
      "description": device.modelDescription, "serial number": device.serialNumber,
      "at": url, "also at": locations.filter { $0 != url }.joined(separator: "  "),
      "page": device.presentationURL ?? "", "server": server,
      "boot": bootID.map { "\($0)" } ?? "", "configuration": configID.map { "\($0)" } ?? "",
    ]
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }

  var json: JSON {
    let icons = device.icons.map { icon in
      JSON.members([
        "mimeType": .string(icon.mimeType), "width": .number(icon.width), "height": .number(icon.height),
        "url": .string(icon.url),
      ])
    }
    let embedded = device.devices.map { device in
      JSON.members([
        "name": .string(device.friendlyName), "type": .string(device.deviceType), "udn": .string(device.udn),
      ])
    }
    let locations = locations.map { JSON.string($0) }
    let services = services.map(\.json)
    return .members([
      "name": .string(device.friendlyName), "type": .string(device.deviceType), "udn": .string(device.udn),
      "manufacturer": .string(device.manufacturer), "manufacturerURL": .string(device.manufacturerURL),
      "model": .string(device.modelName), "modelNumber": .string(device.modelNumber),
      "modelDescription": .string(device.modelDescription), "serialNumber": .string(device.serialNumber),
      "url": .string(url), "locations": .array(locations), "presentationURL": .string(device.presentationURL),
      "server": .string(server), "bootID": .number(bootID), "configID": .number(configID),
      "icons": .array(icons), "embedded": .array(embedded), "services": .array(services),
    ])
  }
}

extension Inspection.Service {
  func lines(hasActions: Bool) -> [String] {
    var lines = ["\(Inspection.padded(location.name, 22)) \(location.type)"]
    switch description {
    case .failure(.status(404)) where location.description == nil:
      lines.append("  names no description of its own")
    case .failure(let failure):
      lines.append("  description can't be read: \(Failure(failure, from: "the device").message)")
    case .success(let service):
      guard hasActions else { break }
      lines += paths.map { "  \($0)" }
      for action in service.actions { lines.append("  \(service.signature(of: action))") }
      for variable in service.variables where !variable.isArgumentTypeOnly || !variable.bounds.isEmpty {
        let parts = [variable.type.rawValue, variable.bounds, variable.sendsEvents ? "evented" : ""]
        lines.append("  . \(variable.name): \(parts.filter { !$0.isEmpty }.joined(separator: ", "))")
      }
    }
    return lines
  }

  private var paths: [String] {
    ["control \(location.control.target)"]
      + (location.events.map { ["events \($0.target)"] } ?? ["no events"])
  }

  var json: JSON {
    .members([
      "type": .string(location.type), "id": .string(location.id),
      "control": .string(location.control.url), "events": .string(location.events?.url),
      "description": .string(location.description?.url), "problem": problem,
      "actions": actions, "variables": variables,
    ])
  }

  private var problem: JSON? {
    guard case .failure(let failure) = description else { return nil }
    return .string(Failure(failure, from: "the device").message)
  }

  private var actions: JSON? {
    guard case .success(let service) = description else { return nil }
    func list(_ arguments: [ArgumentDescription]) -> JSON {
      .array(
        arguments.map {
          .members(["name": .string($0.name), "variable": .string(service.variables[$0.variable].name)])
        })
    }
    let actions = service.actions.map { action in
      JSON.members([
        "name": .string(action.name), "inputs": list(action.inputs), "outputs": list(action.outputs),
      ])
    }
    return .array(actions)
  }

  private var variables: JSON? {
    guard case .success(let service) = description else { return nil }
    let variables = service.variables.map { variable in
      let allowed = variable.allowedValues.map { JSON.string($0) }
      return JSON.members([
        "name": .string(variable.name), "type": .string(variable.type.rawValue),
        "evented": .bool(variable.sendsEvents), "default": .string(variable.defaultValue),
        "allowed": allowed.isEmpty ? nil : .array(allowed),
        "minimum": .number(variable.range.map { Int($0.minimum) }),
        "maximum": .number(variable.range.map { Int($0.maximum) }),
        "step": .number(variable.range?.step.map { Int($0) }),
      ])
    }
    return .array(variables)
  }
}

extension ServiceAddress {
  var url: String { "http://\(address.urlHost):\(port)\(target)" }
}
