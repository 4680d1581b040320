"""The task types that come with Synapse. `agents_app.agents` imports them."""
