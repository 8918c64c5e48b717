import UPnP

/// MusicServices: none.
struct ZoneMusicService: ZoneMusicServices1.Provider {
  let identity: ZoneIdentity

  func commands(for context: ActionContext) -> ZoneMusicService { self }

  var view: ZoneMusicView { ZoneMusicView(serviceListVersion: identity.firstVersion) }
}

/// The view of MusicServices.
struct ZoneMusicView: ZoneMusicServices1.View {
  let serviceListVersion: String
}

extension ZoneMusicService: ZoneMusicServices1.Commands {
  func listAvailableServices() -> (
    availableServiceDescriptorList: String, availableServiceTypeList: String,
    availableServiceListVersion: String
  ) {
    (
      availableServiceDescriptorList: "<Services SchemaVersion=\"1\"></Services>",
      availableServiceTypeList: "", availableServiceListVersion: identity.firstVersion
    )
  }

  func updateAvailableServices() {}
}

/// GroupManagement: which group this zone is in, and whether it is the coordinator.
struct ZoneGroupService: ZoneGroupManagement1.Provider {
  let home: ZoneHome

  var view: ZoneGroupView { ZoneGroupView(home: home) }
}

/// The view of GroupManagement.
struct ZoneGroupView: ZoneGroupManagement1.View {
  let groupCoordinatorIsLocal: Bool
  let localGroupUUID: String

  init(home: ZoneHome) {
    let own = home.group
    groupCoordinatorIsLocal = own.members.first?.uid == home.identity.uid
    localGroupUUID = own.id
  }

  var virtualLineInGroupID: String { "" }
  var resetVolumeAfter: Bool { false }
  var volumeAVTransportURI: String { "" }
}

/// QPlay: listed, as in every zone, and refused.
struct ZoneQPlayService: ZoneQPlay1.Provider {
  var view: ZoneQPlayView { ZoneQPlayView() }
}

/// The view of QPlay, which is empty.
struct ZoneQPlayView: ZoneQPlay1.View {}

/// SystemProperties: strings that controllers keep here.
struct ZoneSystemService: ZoneSystemProperties1.Provider {
  let home: ZoneHome

  func commands(for context: ActionContext) -> ZoneSystemCommands { ZoneSystemCommands(home: home) }

  var view: ZoneSystemView { ZoneSystemView(updateID: home.stringsVersion) }
}

/// The view of SystemProperties.
struct ZoneSystemView: ZoneSystemProperties1.View {
  let updateID: UInt32

  var customerID: String { "" }
  var updateIDX: UInt32 { updateID }
  var voiceUpdateID: UInt32 { 1 }
  var thirdPartyHash: String { "" }
}

/// The actions of SystemProperties that aren't simple getters.
struct ZoneSystemCommands: ZoneSystemProperties1.Commands {
  /// The string that every zone has: its serial number.
  private static let serial = "R_TrialZPSerial"

  let home: ZoneHome

  func getString(variableName: String) throws(UPnPError) -> String {
    if variableName == Self.serial { return home.identity.serialNumber }
    guard let value = home.notes.strings[variableName] else { throw Self.unknown }
    return value
  }

  func setString(variableName: String, stringValue: String) throws(UPnPError) {
    guard variableName != Self.serial else { throw Self.unknown }
    guard home.change({ $0.setString(variableName, to: stringValue) }) else {
      throw UPnPError(code: 501, description: "Action Failed: too many strings, or too long")
    }
  }

  func remove(variableName: String) throws(UPnPError) {
    guard home.change({ $0.setString(variableName, to: nil) }) else { throw Self.unknown }
  }

  func getRDM() -> Bool { false }

  private static let unknown = UPnPError(code: 800, description: "No such variable")
}
