import SCPD
import Synchronization
import XML

@testable import UPnP

/// A service whose state is a few numbers and texts, in the shape of RenderingControl.
final class FakeService: ServiceProvider {
  struct State: Sendable {
    var volume = 20
    var title = "none"
    var performed: [String] = []
    var views = 0
  }

  let state = Mutex(State())
  let identity: ServiceIdentity
  let eventing: EventStyle
  let leading: LeadingVariable?
  let onPerform: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
  /// What `ReadLong` answers.
  let longText: Mutex<any ChunkedText> = Mutex(FakePieces(isLast: { _ in true }))

  init(
    name: String = "RenderingControl", version: Int = 1, domain: String = "schemas-upnp-org",
    idDomain: String = "upnp-org",
    eventing: EventStyle = .lastChange(namespace: "urn:schemas-upnp-org:metadata-1-0/RCS/"),
    moderation: Duration = .milliseconds(200), leading: LeadingVariable? = nil
  ) {
    identity = ServiceIdentity(
      domain: domain, idDomain: idDomain, name: name, version: version)
    self.eventing = eventing
    description = Self.description(moderation: moderation)
    self.leading = leading
  }

  let description: ServiceDescription

  private static func description(moderation: Duration) -> ServiceDescription {
    ServiceDescription(
      actions: [
        ActionDescription(
          name: "GetVolume",
          inputs: [.init(name: "InstanceID", variable: 0), .init(name: "Channel", variable: 1)],
          outputs: [.init(name: "CurrentVolume", variable: 2)]),
        ActionDescription(
          name: "SetVolume",
          inputs: [
            .init(name: "InstanceID", variable: 0), .init(name: "Channel", variable: 1),
            .init(name: "DesiredVolume", variable: 2),
          ], outputs: []),
        ActionDescription(
          name: "SetTitle", inputs: [.init(name: "Title", variable: 3)],
          outputs: [.init(name: "Title", variable: 3), .init(name: "Empty", variable: 3)]),
        ActionDescription(name: "Fail", inputs: [], outputs: []),
        ActionDescription(
          name: "ReadLong", inputs: [],
          outputs: [.init(name: "Text", variable: 5), .init(name: "Later", variable: 3, since: 2)]),
      ],
      variables: [
        StateVariable(name: "A_ARG_TYPE_InstanceID", type: .ui4, sendsEvents: false),
        StateVariable(
          name: "A_ARG_TYPE_Channel", type: .string, sendsEvents: false, allowedValues: ["Master"]),
        StateVariable(
          name: "Volume", type: .ui2, sendsEvents: false, range: .init(minimum: 0, maximum: 100, step: 1)),
        StateVariable(name: "A_ARG_TYPE_Title", type: .string, sendsEvents: false),
        StateVariable(name: "LastChange", type: .string, sendsEvents: true, moderation: moderation),
        StateVariable(name: "Text", type: .string, sendsEvents: false, isLong: true),
      ])
  }

  let scpd = (
    head: "<?xml version=\"1.0\"?><scpd xmlns=\"urn:schemas-upnp-org:service-1-0\"", tail: "></scpd>"
  )

  func perform(_ call: inout ActionCall) throws(UPnPError) {
    state.withLock { $0.performed.append("\(call.action):\(call.inputs.joined(separator: ","))") }
    switch call.action {
    case 0: call.output(UInt16(state.withLock { $0.volume }))
    case 1:
      let volume: UInt16 = try call.input(2)
      setVolume(Int(volume))
    case 2:
      call.output(call.inputs[0])
      call.output("")
    case 4:
      call.output(longText.withLock { $0 })
      call.output("of version 2")
    default: throw UPnPError(code: 701, description: "Transition not available")
    }
  }

  func setVolume(_ volume: Int) {
    state.withLock { $0.volume = volume }
    onPerform.withLock { $0 }?()
  }

  func eventedValues() -> [EventedValue] {
    state.withLock {
      $0.views += 1
      return [
        EventedValue(name: "Volume", channel: "Master", value: "\($0.volume)"),
        EventedValue(name: "Title", value: $0.title),
      ]
    }
  }
}

/// `<>` again and again, until somebody says that it is enough.
struct FakePieces: ChunkedText {
  let isLast: @Sendable (_ written: Int) -> Bool
  var text = "x"
  var written = 0

  mutating func write(to xml: inout XMLText) -> Bool {
    xml.append("<")
    xml.append(escaping: text)
    xml.append(">")
    written += 1
    return !isLast(written)
  }
}

extension Device {
  static func fake(_ services: [any ServiceProvider], name: String = "Living <Room> & more") -> Device {
    Device(
      type: "MediaRenderer", version: 1, udn: "11111111-2222-3333-4444-555555555555", friendlyName: name,
      manufacturer: "Somebody", manufacturerURL: nil, modelDescription: "", modelName: "Vireo",
      icons: [DeviceIcon(mimeType: "image/png", width: 48, height: 48, depth: 24, bytes: [0x89, 0x50])],
      presentationPath: "/", extraElements: "<x:Y xmlns:x=\"urn:x\">Z</x:Y>", services: services)
  }

  static let fakePath = "/11111111-2222-3333-4444-555555555555"
}

extension RootDevice {
  static func fake(_ services: [any ServiceProvider], name: String = "Living <Room> & more") -> RootDevice {
    RootDevice(.fake(services, name: name))
  }
}
