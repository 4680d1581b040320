"""The actions behind the addresses: parse, one verb, answer."""
