/// Writes the Swift code of one service: for `Volume4.xml`, an `enum Volume4`.
///
/// ``DescriptionWriter`` writes what is served, ``ProviderWriter`` the service's half. The control point's half is written by
/// ``ProxyWriter``, for another module.
struct ServiceWriter {
  let document: ServiceDocument

  var source: String {
    let shared = DescriptionWriter(document: document)
    let provider = ProviderWriter(document: document)
    let player = document.playerTypes.isEmpty ? "" : "import Player\n"
    return """
      // Made from ServiceXML/\(document.name).xml when the project is built. Changes belong there.
      \(player)import SCPD
      import UPnP

      /// What ServiceXML/\(document.name).xml describes.
      enum \(document.name) {
      \(shared.members)

      \(provider.members)
      }

      \(provider.defaults)

      """
  }
}
