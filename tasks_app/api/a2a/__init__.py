"""The door for agents (design §3): messages in, their mailbox, and the status query.

    views → peers (who signed this) → inbox / mailbox / status → answers (signed)

API keys are not looked at here, and signatures are not looked at by P2A (G33). Until a
signature is verified nothing is written.
"""
