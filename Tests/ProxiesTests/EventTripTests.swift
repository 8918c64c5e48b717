import ControlPoint
import NIOCore
import Proxies
import RoundTrips
import Testing

@testable import UPnP

/// The event messages of our services, read by our proxies.
@Suite struct EventTripTests {
  @Test func everythingThatIsSentIsRead() throws {
    let speaker = Speaker()
    #expect(EventTrip.ofServed.count == speaker.services.count)
    for trip in EventTrip.ofServed {
      let service = try #require(speaker.service(trip.service))
      let values = service.eventedValues()
      #expect(!values.isEmpty)
      let message = PropertySet.document(values, style: service.eventing)
      let read = try trip.read(try PropertySet.read(message))
      let sent = values.map { value in
        (value.channel.map { "\(value.name)/\($0)" } ?? value.name, value.value)
      }
      #expect(read == Dictionary(uniqueKeysWithValues: sent), "\(trip.service)")
    }
  }

  private func lastChange(_ text: String) -> [EventedValue] {
    [EventedValue(name: "LastChange", value: text)]
  }

  @Test func lastChangeOfOthers() throws {
    let text = """
      <Event xmlns="urn:schemas-upnp-org:metadata-1-0/RCS/"><InstanceID val="1"><Mute val="1"/></InstanceID>\
      <InstanceID val="0"><Volume Channel="CF" val=" 7 "/><Volume val="30"/><Mute channel="LF" val="yes"/>\
      <Mute channel="RF" val="maybe"/><Brightness val="3"/></InstanceID></Event>
      """
    let changes = try Proxies.RenderingControl1.Changes(lastChange(text))
    #expect(changes.volume == [.other("CF"): 7, .master: 30])
    #expect(changes.mute == [.lf: true])
    #expect(changes.presetNameList == nil)
    #expect(try Proxies.RenderingControl1.Changes(lastChange(text), instance: 1).mute == [.master: true])
    #expect(try Proxies.RenderingControl1.Changes(lastChange(text), instance: 2) == .init())
  }

  @Test func whatIsNotListedIsKept() throws {
    let text = """
      <Event><InstanceID val="0"><TransportState val="RECORDING"/><CurrentPlayMode val=" NORMAL "/>\
      <RelativeTimePosition val="0:00:01"/><NumberOfTracks val="many"/></InstanceID></Event>
      """
    let changes = try Proxies.AVTransport1.Changes(lastChange(text))
    #expect(changes.transportState == .other("RECORDING"))
    #expect(changes.transportState?.wire == "RECORDING")
    #expect(changes.currentPlayMode == .normal)
    #expect(changes.relativeTimePosition == "0:00:01")
    #expect(changes.numberOfTracks == nil)
  }

  @Test func whatCannotBeRead() throws {
    #expect(throws: ActionFailure.malformed) { try Proxies.AVTransport1.Changes(lastChange("<Nothing/>")) }
    #expect(try Proxies.AVTransport1.Changes(lastChange("")) == .init())
    #expect(try Proxies.AVTransport1.Changes([EventedValue(name: "Other", value: "x")]) == .init())
    let values = [EventedValue(name: "IdArray", value: "***"), EventedValue(name: "TracksMax", value: "10")]
    let playlist = try Proxies.Playlist1.Changes(values)
    #expect(playlist.idArray == nil)
    #expect(playlist.tracksMax == 10)
  }
}
