#include "CToml.h"
#include <toml++/toml.h>
int ctoml_placeholder(void) { return 0; }
