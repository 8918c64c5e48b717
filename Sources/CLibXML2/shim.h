// What Swift needs of libxml2: the push parser, URI references, and a macro made callable.
#pragma once
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlstring.h>

// xmlFree is a variable that holds a function; Swift 6 doesn't let anybody read it.
static inline void clibxml2_free(void *memory) { xmlFree(memory); }
