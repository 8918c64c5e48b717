import HTTP
import JSON
import NIOCore

/// An answer of a handler, without the type of its value.
enum PendingReply: Sendable {
  case complete(HTTPResponse)
  case problem(Problem)
  case later(@Sendable () async -> PendingReply)
  case answer(Answer)

  init<Value: Sendable>(_ reply: Reply<Value>, _ response: @escaping @Sendable (Value) -> PendingReply) {
    switch reply {
    case .value(let value): self = response(value)
    case .problem(let problem): self = .problem(problem)
    case .later(let work):
      self = .later {
        switch await work() {
        case .value(let value): response(value)
        case .problem(let problem): .problem(problem)
        }
      }
    }
  }

  static func json<Value: JSONWritable & Sendable>(_ reply: Reply<Value>) -> PendingReply {
    PendingReply(reply) {
      .complete(HTTPResponse(.ok, contentType: "application/json", body: ByteBuffer(bytes: $0.json)))
    }
  }

  static func done(_ reply: Reply<Done>) -> PendingReply {
    PendingReply(reply) {
      .complete(HTTPResponse(.noContent, fields: [HTTPField("VIREO-VERSION", String($0.version))]))
    }
  }

  static func own(_ reply: Reply<Answer>) -> PendingReply { PendingReply(reply) { .answer($0) } }
}
