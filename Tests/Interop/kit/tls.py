"""Certificates of the tests' own, and who vouches for them."""

import ssl
import subprocess


class Authority:
    """Issues certificates in `folder`."""

    def __init__(self, folder, name):
        self.folder = folder / name
        self.folder.mkdir()
        self.certificate = self.folder / "authority.pem"
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-days", "3650",
                      "-keyout", "authority.key", "-out", "authority.pem")

    def _openssl(self, *words, at=None):
        clock = ["faketime", at] if at else []
        subprocess.run([*clock, "openssl", *words], cwd=self.folder, check=True, capture_output=True, timeout=60)

    def context(self, address, at=None):
        """What a server at `address` needs; its certificate is good for ten days from `at` (now)."""
        extension = self.folder / "extension"
        extension.write_text(f"subjectAltName=IP:{address}\n")
        self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=server", "-keyout", "server.key",
                      "-out", "server.csr")
        self._openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                      "-CAcreateserial", "-days", "10", "-extfile", "extension", "-out", "server.pem", at=at)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.pem", self.folder / "server.key")
        return context
