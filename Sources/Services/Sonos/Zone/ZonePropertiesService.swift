import UPnP

/// DeviceProperties: the zone's name, its household and its lamp.
struct ZonePropertiesService: ZoneDeviceProperties1.Provider {
  let home: ZoneHome

  func commands(for context: ActionContext) -> ZonePropertiesCommands { ZonePropertiesCommands(home: home) }

  var view: ZonePropertiesView { ZonePropertiesView(home: home) }
}

/// The view of DeviceProperties. Most of it says what this zone doesn't have.
struct ZonePropertiesView: ZoneDeviceProperties1.View {
  private let identity: ZoneIdentity
  private let notes: ZoneNotes
  let householdID: String
  let zoneName: String
  let ipAddress: String
  let isIdle: Bool

  init(home: ZoneHome) {
    identity = home.identity
    notes = home.notes
    householdID = home.household
    zoneName = home.room
    ipAddress = home.address
    isIdle = home.isIdle
  }

  var icon: String { notes.icon }
  var configuration: String { "1" }
  var targetRoomName: String { "" }
  var ledState: ZoneDeviceProperties1.LEDState { notes.isLit ? .on : .off }
  var buttonLockState: ZoneDeviceProperties1.ButtonLockState { notes.isLocked ? .on : .off }

  var serialNumber: String { identity.serialNumber }
  var macAddress: String { identity.hardwareAddressText }
  var softwareVersion: String { ZoneModel.software }
  var displaySoftwareVersion: String { ZoneModel.displaySoftware }
  var hardwareVersion: String { ZoneModel.hardware }
  var copyrightInfo: String { "" }
  var extraInfo: String { "" }
  var htAudioIn: UInt32 { 0 }
  var flags: UInt32 { 0 }

  var settingsReplicationState: String { "" }
  var invisible: Bool { false }
  var isZoneBridge: Bool { false }
  var airPlayEnabled: Bool { false }
  var supportsAudioIn: Bool { false }
  var supportsAudioClip: Bool { false }
  var moreInfo: String { "" }
  var channelMapSet: String { "" }
  var htSatChanMapSet: String { "" }
  var wirelessMode: UInt32 { 0 }
  var hasConfiguredSSID: Bool { false }
  var wifiEnabled: Bool { false }
  var ethLink: Bool { true }
  var configMode: String { "" }
  var secureRegState: UInt32 { 3 }
  var voiceConfigState: UInt32 { 0 }
}

/// The actions of DeviceProperties that aren't simple getters.
struct ZonePropertiesCommands: ZoneDeviceProperties1.Commands {
  let home: ZoneHome

  func setLEDState(desiredLEDState: ZoneDeviceProperties1.LEDState) {
    _ = home.change {
      $0.isLit = desiredLEDState == .on
      return true
    }
  }

  func setButtonLockState(desiredButtonLockState: ZoneDeviceProperties1.ButtonLockState) {
    _ = home.change {
      $0.isLocked = desiredButtonLockState == .on
      return true
    }
  }

  func setZoneAttributes(
    desiredZoneName: String, desiredIcon: String, desiredConfiguration: String, desiredTargetRoomName: String
  ) throws(UPnPError) {
    let configured = home.configuredRoom
    guard home.change({ $0.set(name: desiredZoneName, icon: desiredIcon, configured: configured) }) else {
      throw .stringTooLong("the name of a zone")
    }
  }
}
