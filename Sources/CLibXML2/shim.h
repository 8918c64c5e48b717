// The parts of libxml2 that Swift needs: the push parser, URI references, and `xmlFree` made callable.
#pragma once
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlstring.h>

// xmlFree is a global function pointer, which Swift 6 refuses to read.
static inline void clibxml2_free(void *memory) { xmlFree(memory); }
