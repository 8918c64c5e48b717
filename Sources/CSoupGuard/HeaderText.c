#include <glib.h>
#include <string.h>

/// Code points of the bytes 0x80 to 0x9f in Windows-1252; those that it leaves undefined are as in Latin-1.
static const gunichar windows_1252[32] = {
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178};

/// Replaces GLib's function of this name, for libsoup, which first passes every header that isn't UTF-8 through it.
///
/// GLib's own puts U+FFFD in place of each invalid byte. Stations send their names in Latin-1 or Windows-1252, so such
/// a string is read as that, as browsers do. UTF-8 stays unchanged.
///
/// The dynamic linker gives libraries the program's own function before that of another library.
gchar *g_utf8_make_valid(const gchar *text, gssize length) {
  g_return_val_if_fail(text != NULL, NULL);
  gsize count = length < 0 ? strlen(text) : (gsize)length;
  if (g_utf8_validate(text, (gssize)count, NULL)) return g_strndup(text, count);
  GString *result = g_string_sized_new(count * 2);
  for (gsize index = 0; index < count; index++) {
    guchar byte = (guchar)text[index];
    if (byte == 0) {
      g_string_append_unichar(result, 0xfffd);
    } else {
      g_string_append_unichar(result, byte >= 0x80 && byte < 0xa0 ? windows_1252[byte - 0x80] : byte);
    }
  }
  return g_string_free(result, FALSE);
}
