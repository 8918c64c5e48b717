#include "CertificateFaults.h"

#include "ServerFaults.h"
#include "SoupMessage.h"

static ServerFaults faults;

/// libsoup asks whether to accept a certificate that GIO rejects.
static gboolean certificate_refused(
    GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint;
  (void)data;
  if (count < 3) return TRUE;
  csoupguard_note(&faults, g_value_get_object(&values[0]), g_value_get_flags(&values[2]));
  return TRUE;
}

void csoupguard_note_certificates(void) {
  static gsize is_done = 0;
  if (!g_once_init_enter(&is_done)) return;
  csoupguard_listen(csoupguard_library(), "accept-certificate", certificate_refused);
  g_once_init_leave(&is_done, 1);
}

unsigned csoupguard_take_certificate_fault(const char *uri) { return csoupguard_take(&faults, uri); }
