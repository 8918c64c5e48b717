import Testing

@testable import Player

@Suite struct OpenHomeVolumeTests {
  // MARK: Volume

  @Test func settingUnmutesWhenToldTo() {
    var rig = Rig()
    rig.perform(.setMute(.master, true), .changeVolume(.to(20), unmutes: false))
    #expect(rig.state.volume.isMuted(.master))
    #expect(rig.state.volume.step(of: .master) == 20)
    for change in [VolumeChange.to(21), .by(1), .by(-1)] {
      rig.perform(.setMute(.master, true), .changeVolume(change, unmutes: true))
      #expect(!rig.state.volume.isMuted(.master))
    }
    #expect(rig.state.volume.step(of: .master) == 21)
  }

  @Test func tooMuchIsRefusedOnlyAtTheMaximum() {
    var rig = Rig()
    rig.perform(.changeVolume(.to(150), unmutes: true))
    #expect(rig.state.volume.step(of: .master) == 100)
    #expect(throws: PlayerError.volumeOutOfRange) { try rig.attempt(.changeVolume(.to(101), unmutes: true)) }
    rig.perform(.changeVolume(.to(100), unmutes: true), .changeVolume(.by(1), unmutes: true))
    #expect(rig.state.volume.step(of: .master) == 100)
    rig.perform(.changeVolume(.to(0), unmutes: true), .changeVolume(.by(-1), unmutes: true))
    #expect(rig.state.volume.step(of: .master) == 0)
  }

  @Test func aStepThatIsThereAlreadyMovesNothing() {
    var rig = Rig()
    rig.perform(.setVolumeDecibels(.master, -1001))
    let step = rig.state.volume.step(of: .master)
    rig.perform(.changeVolume(.to(step), unmutes: true))
    #expect(rig.state.volume.decibels(of: .master) == -1001)
    #expect(rig.requests.isEmpty)
  }

  @Test func theLimitHoldsWithoutRefusal() {
    var rig = Rig(PlayerConfiguration(volumeLimit: 60, factoryVolume: 60))
    rig.perform(.changeVolume(.to(80), unmutes: true))
    #expect(rig.state.volume.step(of: .master) == 60)
    #expect(rig.reports == [.volumeLimited(requested: 80, limit: 60)])
    rig.perform(.changeVolume(.to(101), unmutes: true), .changeVolume(.by(1), unmutes: true))
    #expect(rig.state.volume.step(of: .master) == 60)
  }

  // MARK: Balance

  @Test func balanceReadsBackAsSet() {
    var rig = Rig()
    for balance in (-Volume.balanceMax...Volume.balanceMax) {
      rig.perform(.setBalance(balance))
      #expect(rig.state.volume.balance == balance)
    }
    #expect(throws: PlayerError.balanceOutOfRange) { try rig.attempt(.setBalance(Volume.balanceMax + 1)) }
    #expect(throws: PlayerError.balanceOutOfRange) { try rig.attempt(.setBalance(.min)) }
    rig.perform(.moveBalance(by: 1))
    #expect(rig.state.volume.balance == Volume.balanceMax, "kept within the range")
    rig.perform(.moveBalance(by: -3))
    #expect(rig.state.volume.balance == Volume.balanceMax - 3)
  }

  @Test func balanceIsWhatTheLevelsAre() {
    var rig = Rig(PlayerConfiguration(factoryVolume: 100))
    rig.perform(.setBalance(10))
    #expect(rig.state.volume.decibels(of: .right) == 0)
    #expect(abs(rig.state.volume.decibels(of: .left) - Int(-6.0206 * 256)) <= 1)
    #expect(abs(rig.state.volume.gain.left - 0.5) < 0.001)
    #expect(rig.state.volume.gain.right == 1)
    rig.perform(.setBalance(-Volume.balanceMax))
    #expect(rig.state.volume.gain.right == 0)
    #expect(rig.state.volume.step(of: .right) == 0)
    rig.perform(.setVolume(.right, 100))
    #expect(rig.state.volume.balance == 0, "RenderingControl's RF moves it")
    rig.perform(.setVolume(.left, 0))
    #expect(rig.state.volume.balance == Volume.balanceMax)
  }

  @Test func theLouderSideStaysWhereItIs() {
    var rig = Rig()
    rig.perform(.setVolumeDecibels(.left, -2000), .setVolumeDecibels(.right, -5000), .setBalance(5))
    #expect(rig.state.volume.decibels(of: .right) == -2000)
    #expect(rig.state.volume.decibels(of: .left) < -2000)
    #expect(rig.state.volume.balance == 5)
    rig.perform(.setVolume(.left, 0), .setVolume(.right, 0))
    #expect(rig.state.volume.balance == 0)
    rig.perform(.setBalance(0))
    #expect(rig.state.volume.decibels(of: .left) == 0, "balance brings sound back")
  }

  // MARK: Trim and offset

  @Test func trimAndOffsetAreReal() {
    var rig = Rig()
    let before = rig.state.volume.gain
    rig.perform(.setTrim(.left, -6 * 1024), .setVolumeOffset(.right, 3 * 1024))
    #expect(rig.requestNames == ["setGain"])
    #expect(abs(rig.state.volume.gain.left / before.left - 0.5012) < 0.0001)
    #expect(abs(rig.state.volume.gain.right / before.right - 1.4125) < 0.0001)
    #expect(rig.state.volume.balance == 0, "they aren't balance")
    rig.perform(.setVolume(.master, 100))
    #expect(rig.state.volume.gain.right == 1, "no more than there is")
    #expect(rig.state.volume.trim(of: .left) == -6 * 1024)
    let again = Rig(snapshot: rig.state.snapshot)
    #expect(again.state.volume == rig.state.volume)
  }

  @Test func trimAndOffsetRefusals() {
    var rig = Rig()
    #expect(throws: PlayerError.unknownChannel) { try rig.attempt(.setTrim(.master, 0)) }
    #expect(throws: PlayerError.unknownChannel) { try rig.attempt(.setVolumeOffset(.master, 0)) }
    #expect(throws: PlayerError.trimOutOfRange) { try rig.attempt(.setTrim(.left, 13 * 1024)) }
    #expect(throws: PlayerError.offsetOutOfRange) { try rig.attempt(.setVolumeOffset(.left, -16 * 1024)) }
  }
}
