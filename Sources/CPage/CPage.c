#include "CPage.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// The texts of Sources/Page/Assets. To add one, add its three lines to the list.
#define TEXT(name) {name, (const unsigned char[]){
#define END 0}, 0}

static const cpage_asset texts[] = {
TEXT("index.html")
#embed "../Page/Assets/index.html" suffix(,)
END,
TEXT("app.js")
#embed "../Page/Assets/app.js" suffix(,)
END,
TEXT("sprite.svg")
#embed "../Page/Assets/sprite.svg" suffix(,)
END,
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

static const cpage_asset pictures[] = {
    {"icon-180.png", icon180, sizeof icon180},
    {"icon-192.png", icon192, sizeof icon192},
    {"icon-512.png", icon512, sizeof icon512},
    {"icon-maskable-512.png", maskable512, sizeof maskable512},
};

cpage_asset cpage_at(int index) {
  const int text_count = sizeof texts / sizeof texts[0];
  const int picture_count = sizeof pictures / sizeof pictures[0];
  if (index >= 0 && index < text_count) {
    cpage_asset text = texts[index];
    text.length = (long)strlen((const char *)text.bytes);
    return text;
  }
  if (index >= text_count && index < text_count + picture_count) return pictures[index - text_count];
  return (cpage_asset){0};
}
