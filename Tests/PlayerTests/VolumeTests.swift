import Testing

@testable import Player

@Suite struct VolumeTests {
  static let curves: [VolumeCurve] = [
    .cubic, .linear, .decibel(range: 10), .decibel(range: 60), .decibel(range: 120),
  ]

  @Test(arguments: curves) func everyStepReadsBack(curve: VolumeCurve) {
    for step in 0...100 {
      var volume = Volume(curve: curve)
      volume.setStep(step, of: .master)
      #expect(volume.step(of: .master) == step)
      let decibels = volume.decibels(of: .master)
      volume.setDecibels(decibels, of: .master)
      #expect(volume.step(of: .master) == step)
      #expect(volume.decibels(of: .master) == decibels)
    }
  }

  @Test(arguments: curves) func everyDecibelValueReadsBack(curve: VolumeCurve) {
    var volume = Volume(curve: curve)
    var last = 0
    for decibels in curve.decibelRange {
      volume.setDecibels(decibels, of: .left)
      #expect(volume.decibels(of: .left) == decibels)
      let step = volume.step(of: .left)
      #expect(step >= last)
      last = step
    }
    #expect(last == 100)
  }

  @Test(arguments: curves) func endsAndSlope(curve: VolumeCurve) {
    #expect(curve.decibels(step: 0) == curve.decibelRange.lowerBound)
    #expect(curve.gain(decibels: curve.decibelRange.lowerBound) == 0)
    #expect(curve.decibels(step: 100) == 0)
    #expect(curve.gain(decibels: 0) == 1)
    #expect(curve.decibelRange.lowerBound >= Int(Int16.min), "i2 on the wire")
    for step in 1...100 { #expect(curve.decibels(step: step) > curve.decibels(step: step - 1)) }
  }

  @Test func knownValues() {
    #expect(VolumeCurve.cubic.decibels(step: 50) == -4624, "-18.06 dB")
    #expect(abs(VolumeCurve.cubic.gain(decibels: -4624) - 0.125) < 1e-4)
    #expect(VolumeCurve.linear.decibels(step: 50) == -1541, "-6.02 dB")
    #expect(VolumeCurve.decibel(range: 60).decibels(step: 50) == -7680, "-30 dB")
    #expect(VolumeCurve.decibel(range: 60).decibelRange == -15360...0)
    #expect(VolumeCurve.cubic.decibels(step: 1) == -30720, "-120 dB")
  }

  @Test func channelsAndMutesComeTogetherInTheGain() {
    var volume = Volume(curve: .linear, step: 50)
    #expect(abs(volume.gain.left - 0.5) < 1e-3)
    #expect(volume.gain.left == volume.gain.right)
    volume.setStep(50, of: .left)
    #expect(abs(volume.gain.left - 0.25) < 1e-3)
    volume.setMute(true, of: .right)
    #expect(volume.gain.right == 0)
    volume.setMute(false, of: .right)
    volume.setMute(true, of: .master)
    #expect(volume.gain == (0, 0))
    volume.setMute(false, of: .master)
    volume.setStep(0, of: .master)
    #expect(volume.gain == (0, 0))
    #expect(Volume().gain == (1, 1))
  }

  @Test func limitClampsWhateverUnitIsUsed() throws {
    var rig = Rig(PlayerConfiguration(volumeLimit: 60, factoryVolume: 80))
    #expect(rig.state.volume.step(of: .master) == 60)
    rig.perform(.setVolume(.master, 61))
    #expect(rig.state.volume.step(of: .master) == 60)
    #expect(rig.reports == [.volumeLimited(requested: 61, limit: 60)])
    rig.perform(.setVolume(.master, 60))
    #expect(rig.reports.isEmpty)
    rig.perform(.setVolumeDecibels(.master, 0))
    #expect(rig.state.volume.step(of: .master) == 60)
    #expect(rig.reports == [.volumeLimited(requested: 100, limit: 60)])
    rig.perform(.setVolume(.left, 100))
    #expect(rig.state.volume.step(of: .left) == 100, "the limit is the master's")
  }

  @Test func outsideTheRangeIsRefused() {
    var rig = Rig()
    for command: Command in [
      .setVolume(.master, 101), .setVolume(.left, -1), .setVolumeDecibels(.master, 1),
      .setVolumeDecibels(.right, -121 * 256 - 1),
    ] {
      #expect(throws: PlayerError.valueOutOfRange) { try rig.attempt(command) }
    }
  }

  @Test func gainGoesToTheOutputOnlyWhenItChanges() {
    var rig = Rig()
    rig.perform(.setVolume(.master, 100))
    #expect(rig.requests == [.setGain(left: 1, right: 1)])
    rig.perform(.setVolume(.master, 100))
    #expect(rig.requests.isEmpty)
    rig.perform(.setMute(.left, true))
    #expect(rig.requests == [.setGain(left: 0, right: 1)])
    rig.perform(.setVolume(.left, 3))
    #expect(rig.requests.isEmpty, "it is muted")
    #expect(rig.state.volume.isMuted(.left), "volume leaves mute alone")
  }

  @Test func factoryDefaults() {
    var rig = Rig(PlayerConfiguration(factoryVolume: 33))
    rig.perform(.setVolume(.master, 90), .setVolume(.left, 1), .setMute(.master, true))
    rig.perform(.restoreFactoryDefaults)
    #expect(rig.state.volume == Rig(PlayerConfiguration(factoryVolume: 33)).state.volume)
    #expect(rig.state.volume.step(of: .master) == 33)
    #expect(rig.state.volume.step(of: .left) == 100)
  }

  @Test func snapshotRestores() {
    var rig = Rig()
    rig.perform(.setVolume(.master, 42), .setVolumeDecibels(.left, -777), .setMute(.right, true))
    #expect(Rig(snapshot: rig.state.snapshot).state.volume == rig.state.volume)
    rig.perform(.setVolume(.master, 0))
    let other = Rig(PlayerConfiguration(volumeCurve: .decibel(range: 60)), snapshot: rig.state.snapshot)
    #expect(other.state.volume.step(of: .master) == 0, "silence stays silence with another curve")
    #expect(other.state.volume.decibels(of: .left) == -777)
  }

  @Test func aDamagedSnapshotIsBroughtInside() {
    let wild = PlayerSnapshot(
      player: SavedPlayer(
        master: .init(decibels: 5000, isMuted: false), left: .init(decibels: .min, isMuted: false),
        right: .init(decibels: .max, isMuted: false)),
      tracks: PlaylistTracks())
    let volume = Rig(PlayerConfiguration(volumeLimit: 70), snapshot: wild).state.volume
    #expect(volume.step(of: .master) == 70)
    #expect(volume.step(of: .left) == 0)
    #expect(volume.step(of: .right) == 100)
  }

  @Test func reconfiguringKeepsLoudnessWithinTheLimit() {
    var rig = Rig(PlayerConfiguration(volumeCurve: .linear, factoryVolume: 80))
    let before = rig.state.volume.decibels(of: .master)
    rig.perform(.configure(PlayerConfiguration(volumeCurve: .cubic)))
    #expect(rig.state.volume.decibels(of: .master) == before)
    rig.perform(.configure(PlayerConfiguration(volumeCurve: .cubic, volumeLimit: 10)))
    #expect(rig.state.volume.step(of: .master) == 10)
    #expect(rig.requestNames == ["setGain"])
  }
}
