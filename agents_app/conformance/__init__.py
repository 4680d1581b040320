"""The conformance kit: plays peers against a node, or a node against a peer.

Speaks over HTTP only, so it proves other implementations as well as our own. What is
expected comes from the protocol package: its state table, its catalogue.
"""
