// A stand-in until the page is there.
