// What is wrong with a server's certificate, which GStreamer's HTTP source doesn't report.
#pragma once

#include <glib.h>

/// Starts to record what GIO finds wrong with certificates. Call it before an `https` address is requested; later calls
/// cost nothing. With any libsoup but version 3 nothing is recorded.
void csoupguard_note_certificates(void);

/// The fault (`GTlsCertificateFlags`) for which the server of `uri` was last refused, or 0. Each is returned once.
unsigned csoupguard_take_certificate_fault(const char *uri);
