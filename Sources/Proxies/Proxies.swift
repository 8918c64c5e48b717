import ControlPoint

// The proxies are made from ServiceXML/*.xml when the project is built, one file for each service: ServiceXMLGenerator.

extension RemoteService {
  /// True when the service is one of those that `type` is the proxy of, in whatever version.
  public func isServed<Proxy: ServiceProxy>(by type: Proxy.Type) -> Bool {
    let own = Proxy.identity
    let parts = location.type.split(separator: ":")
    return parts.count == 5 && parts[1] == own.domain && parts[2] == "service" && parts[3] == own.name
  }
}
