import ArgumentParser

/// All commands, in the order of the help.
enum CommandList {
  static let all: [any ParsableCommand.Type] = [
    DevicesCommand.self, UseCommand.self,
    StatusCommand.self, PlayCommand.self, PauseCommand.self, ToggleCommand.self, StopCommand.self,
    NextCommand.self,
    PreviousCommand.self, SeekCommand.self, VolumeCommand.self, MuteCommand.self,
    QueueCommand.self, PlaylistsCommand.self, RadioCommand.self, PinsCommand.self, SourceCommand.self,
    StandbyCommand.self,
    RoomsCommand.self, PartyCommand.self, ReportsCommand.self, UploadsCommand.self,
    ServersCommand.self, BrowseCommand.self, SearchCommand.self,
    InspectCommand.self, CallCommand.self, EventsCommand.self, DoctorCommand.self,
    RecordCommand.self, ReplayCommand.self,
    CompletionCommand.self,
  ]
}
