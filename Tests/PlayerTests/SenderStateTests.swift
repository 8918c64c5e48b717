import Testing

@testable import Player

/// What this room sends to others.
@Suite struct SenderStateTests {
  private let sending = SenderState(isEnabled: true, listeners: 2, isSending: true)

  @Test func itChangesNothingElse() {
    var rig = Rig()
    let before = rig.state
    rig.perform(.senderChanged(sending))
    #expect(rig.state.sender == sending && rig.requestNames.isEmpty)
    rig.perform(.senderChanged(before.sender))
    #expect(rig.state == before)
  }

  @Test func itIsNotSaved() {
    var rig = Rig()
    let before = rig.state.saved()
    rig.perform(.senderChanged(sending))
    #expect(rig.state.saved() == before)
    #expect(PlayerState(snapshot: rig.state.snapshot).sender == SenderState())
  }

  @Test func whatAnotherRoomSendsIsNotPassedOn() {
    var rig = Rig()
    rig.perform(.senderChanged(sending))
    #expect(rig.state.isPassedOn)
    rig.perform(.receiver(.setSender(Media(uri: "ohu://192.0.2.7:51000"))))
    #expect(rig.state.isPassedOn)
    rig.perform(.receiver(.play))
    #expect(!rig.state.isPassedOn)
    rig.perform(.setStandby(true))
    #expect(rig.state.isPassedOn)
    rig.perform(.senderChanged(SenderState(isEnabled: true, mayPassOn: false)))
    #expect(!rig.state.isPassedOn)
  }

  @Test func nobodyIsFewerThanNone() { #expect(SenderState(listeners: -1).listeners == 0) }
}
