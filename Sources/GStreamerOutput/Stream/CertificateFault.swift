import CSoupGuard

/// What is wrong with a server's certificate, in GIO's terms (`GTlsCertificateFlags`).
struct CertificateFault: OptionSet {
  var rawValue: UInt32

  static let unknownAuthority = CertificateFault(rawValue: 1)
  static let otherName = CertificateFault(rawValue: 2)
  static let notYetValid = CertificateFault(rawValue: 4)
  static let expired = CertificateFault(rawValue: 8)
  static let revoked = CertificateFault(rawValue: 16)
  static let insecure = CertificateFault(rawValue: 32)

  /// The fault for which the server of `uri` was last refused; nil if there was none. Each fault is returned once.
  static func last(of uri: String) -> CertificateFault? {
    guard uri.prefix(6).lowercased() == "https:" else { return nil }
    let flags = csoupguard_take_certificate_fault(uri)
    return flags == 0 ? nil : CertificateFault(rawValue: flags)
  }

  /// What is wrong and what to do, in words that follow "its certificate".
  var words: String {
    var found: [String] = []
    if contains(.expired) { found.append("has expired") }
    if contains(.notYetValid) { found.append("isn't valid yet (look at this host's clock)") }
    if contains(.revoked) { found.append("has been revoked") }
    if contains(.otherName) { found.append("is made out to another name") }
    if contains(.unknownAuthority) {
      found.append("isn't trusted (where it should be, add its authority with update-ca-certificates)")
    }
    if contains(.insecure) { found.append("uses a method that is no longer secure") }
    return found.isEmpty ? "isn't accepted" : found.joined(separator: " and ")
  }
}
