import Logging
import NIOCore
import Player
import Services

@testable import UPnP

extension FuzzTarget {
  /// The body of a control request, up to what the player makes of it and tells its subscribers.
  static let soap = FuzzTarget(
    name: "soap", maximumLength: 8192,
    words: [
      "<?xml version=\"1.0\"?>", "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">",
      "<s:Body>",
      "<u:SetVolume xmlns:u=\"urn:schemas-upnp-org:service:RenderingControl:1\">",
      "<InstanceID>0</InstanceID>",
      "<Channel>Master</Channel>", "<DesiredVolume>", "<!DOCTYPE a [", "<!ENTITY a \"b\">", "&a;", "&#x41;",
      "<![CDATA[", "]]>", "<!--", "-->", "<?a ?>", "xmlns=\"\"", "</", "/>", "Seek", "REL_TIME", "0:00:10",
      "<u:Insert xmlns:u=\"urn:av-openhome-org:service:Playlist:1\">", "<AfterId>0</AfterId>", "<Uri>",
      "<Metadata>",
      "ReadList", "<IdList>1 2</IdList>", "DeleteId", "SetId", "SetChannel", "PlayAs", "SetSourceIndexByName",
      "<Value>", "SeekSecondRelative",
      "SetAVTransportURI", "http://192.0.2.1/a.flac", "&lt;DIDL-Lite&gt;", "-9223372036854775808",
      "encoding=",
    ]
  ) { bytes in
    let body: SOAPBody
    do {
      body = try SOAPParser.parse(ByteBuffer(bytes: bytes))
    } catch { return }
    try promise(body.arguments.count <= SOAPParser.maximumArguments, "\(body.arguments.count) arguments")
    for service in Renderer().services {
      guard let index = service.description.actionIndex(named: body.action) else { continue }
      let action = service.description.actions[index]
      var written = ByteBuffer()
      do throws(UPnPError) {
        let inputs = try ArgumentCoder(service).check(action: index, arguments: body.arguments)
        var call = ActionCall(
          action: index, context: ActionContext(remoteAddress: .v4(0xc000_0232)),
          inputs: inputs)
        try service.perform(&call)
        var success = SOAPResponse.Success(
          action, version: service.identity.version, outputs: call.outputs)
        written = success.begin(serviceType: service.identity.type)
        while success.write(to: &written) {}
      } catch {
        written = SOAPResponse.fault(error)
      }
      // Whatever was sent comes back inside something that can be read.
      let answer = try SOAPParser.parse(written)
      try promise(
        answer.action == "Fault" || answer.arguments.map(\.name) == action.outputs.map(\.name),
        "answered \(answer)")
      let event = PropertySet.document(service.eventedValues(), style: service.eventing)
      try promise(XMLReading.isWellFormed(event), "an event that can't be read: \(event)")
    }
  }

  /// A player without sound, fresh for each input, behind the services that control points call.
  private struct Renderer {
    var services: [any ServiceProvider]

    init() {
      let player = PlayerCore(
        executor: InlineExecutor(), configuration: PlayerConfiguration(), output: Silence(),
        clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
      let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
      services = [
        AVTransport(player: player, logger: logger), RenderingControl(player: player),
        ConnectionManager(player: player),
      ]
      let configuration = OpenHomeConfiguration(
        room: "Kitchen", productName: "Vireo", manufacturer: .init(name: "M"), model: .init(name: "M"))
      services += OpenHomeDevice.services(
        player: player, settings: OpenHomeSettings(configuration) { "http://192.0.2.7:49494" }, logger: logger
      )
    }
  }

  struct Silence: AudioOutput {
    func submit(_ request: OutputRequest) {}
  }

  /// Everything happens on the thread that the input comes on, or on one that it waits for.
  final class InlineExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
    func checkIsolated() {}
  }
}
