/// An error in a request, as the status code to answer with.
public struct HTTPError: Error, Sendable, Hashable {
  public let status: HTTPStatus

  public init(status: HTTPStatus) { self.status = status }
}
