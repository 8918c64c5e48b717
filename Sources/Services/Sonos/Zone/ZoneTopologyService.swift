import UPnP

/// ZoneGroupTopology: all zones of the household, and who plays together.
struct ZoneTopologyService: ZoneGroupTopology1.Provider {
  let home: ZoneHome
  let neighbours: any ZoneNeighbours

  func commands(for context: ActionContext) -> ZoneTopologyCommands {
    ZoneTopologyCommands(neighbours: neighbours)
  }

  var view: ZoneTopologyView { ZoneTopologyView(home: home) }
}

/// The view of ZoneGroupTopology.
struct ZoneTopologyView: ZoneGroupTopology1.View {
  private let identity: ZoneIdentity
  private let household: String
  private let groups: [ZoneGroup]

  init(home: ZoneHome) {
    identity = home.identity
    household = home.household
    groups = home.groups
  }

  private var own: ZoneGroup? { groups.first { $0.members.contains { $0.uid == identity.uid } } }

  var zoneGroupState: String { ZoneTopology.document(groups) }
  var museHouseholdId: String { household }
  var zoneGroupName: String { own?.members.first?.name ?? "" }
  var zoneGroupID: String { own?.id ?? "" }
  var zonePlayerUUIDsInGroup: String { own?.members.map(\.uid).joined(separator: ",") ?? "" }
  var alarmRunSequence: String { "\(identity.firstVersion):0" }
  var availableSoftwareUpdate: String { ZoneTopologyCommands.noUpdate }
  var thirdPartyMediaServersX: String { "" }
  var areasUpdateID: String { "" }
  var sourceAreasUpdateID: String { "" }
  var netsettingsUpdateID: String { "" }
}

/// The actions of ZoneGroupTopology that aren't simple getters: there is no update, and a zone that is
/// reported as gone is asked.
struct ZoneTopologyCommands: ZoneGroupTopology1.Commands {
  let neighbours: any ZoneNeighbours

  static let noUpdate = """
    <UpdateItem xmlns="urn:schemas-rinconnetworks-com:update-1-0" Type="Software" Version="\(ZoneModel.software)" \
    UpdateURL="" DownloadSize="0" ManifestURL=""/>
    """

  func checkForUpdate(updateType: String, cachedOnly: Bool, version: String) -> String { Self.noUpdate }
  func reportUnresponsiveDevice(deviceUUID: String, desiredAction: String) {
    neighbours.check(deviceUUID)
  }

  func reportAlarmStartedRunning() {}
  func registerMobileDevice(mobileDeviceName: String, mobileDeviceUDN: String, mobileIPAndPort: String) {}
}
