#include "CPage.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// The texts of Sources/Page/Assets. To add one, add its three lines to the list.
#define TEXT(name) {name, (const unsigned char[]){
#define END 0}}

static const struct {
  const char *name;
  const unsigned char *bytes;
} texts[] = {
TEXT("index.html")
#embed "../Page/Assets/index.html" suffix(,)
END,
TEXT("page.css")
#embed "../Page/Assets/page.css" suffix(,)
END,
TEXT("sprite.svg")
#embed "../Page/Assets/sprite.svg" suffix(,)
END,
TEXT("app.js")
#embed "../Page/Assets/app.js" suffix(,)
END,
TEXT("core.js")
#embed "../Page/Assets/core.js" suffix(,)
END,
TEXT("store.js")
#embed "../Page/Assets/store.js" suffix(,)
END,
TEXT("player.js")
#embed "../Page/Assets/player.js" suffix(,)
END,
TEXT("queue.js")
#embed "../Page/Assets/queue.js" suffix(,)
END,
TEXT("library.js")
#embed "../Page/Assets/library.js" suffix(,)
END,
TEXT("radio.js")
#embed "../Page/Assets/radio.js" suffix(,)
END,
TEXT("pins.js")
#embed "../Page/Assets/pins.js" suffix(,)
END,
TEXT("rooms.js")
#embed "../Page/Assets/rooms.js" suffix(,)
END,
TEXT("party.js")
#embed "../Page/Assets/party.js" suffix(,)
END,
TEXT("qr.js")
#embed "../Page/Assets/qr.js" suffix(,)
END,
TEXT("keep.js")
#embed "../Page/Assets/keep.js" suffix(,)
END,
TEXT("playlists.js")
#embed "../Page/Assets/playlists.js" suffix(,)
END,
TEXT("uploads.js")
#embed "../Page/Assets/uploads.js" suffix(,)
END,
TEXT("system.js")
#embed "../Page/Assets/system.js" suffix(,)
END,
TEXT("en.js")
#embed "../Page/Assets/en.js" suffix(,)
END,
TEXT("de.js")
#embed "../Page/Assets/de.js" suffix(,)
END,
TEXT("fr.js")
#embed "../Page/Assets/fr.js" suffix(,)
END,
TEXT("es.js")
#embed "../Page/Assets/es.js" suffix(,)
END,
TEXT("nl.js")
#embed "../Page/Assets/nl.js" suffix(,)
END,
};

static const unsigned char icon48[] = {
#embed "../../Config/icon/vireo-48.png"
};
static const unsigned char icon180[] = {
#embed "../../Config/icon/vireo-180.png"
};
static const unsigned char icon192[] = {
#embed "../../Config/icon/vireo-192.png"
};
static const unsigned char icon512[] = {
#embed "../../Config/icon/vireo-512.png"
};
static const unsigned char maskable512[] = {
#embed "../../Config/icon/vireo-maskable-512.png"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  long length;
} pictures[] = {
    {"icon-48.png", icon48, sizeof icon48},
    {"icon-180.png", icon180, sizeof icon180},
    {"icon-192.png", icon192, sizeof icon192},
    {"icon-512.png", icon512, sizeof icon512},
    {"icon-maskable-512.png", maskable512, sizeof maskable512},
};

enum { TEXT_COUNT = sizeof texts / sizeof texts[0], COUNT = TEXT_COUNT + sizeof pictures / sizeof pictures[0] };

int cpage_count(void) { return COUNT; }

const char *cpage_name(int index) {
  return index < TEXT_COUNT ? texts[index].name : pictures[index - TEXT_COUNT].name;
}

const unsigned char *cpage_bytes(int index, long *length) {
  if (index >= TEXT_COUNT) {
    *length = pictures[index - TEXT_COUNT].length;
    return pictures[index - TEXT_COUNT].bytes;
  }
  *length = (long)strlen((const char *)texts[index].bytes);
  return texts[index].bytes;
}
