import ArgumentParser

/// All commands, in the order of the help.
enum CommandList {
  static let all: [any ParsableCommand.Type] = [
    DevicesCommand.self,
    InspectCommand.self,
    CallCommand.self,
    EventsCommand.self,
    DoctorCommand.self,
  ]
}
