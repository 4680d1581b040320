"""The handlers of this app, found by `apps` like those of any other app."""

import agents_app.handlers.approval
import agents_app.handlers.document_text
import agents_app.handlers.invoice_approval
import agents_app.handlers.text_generation
import agents_app.probes  # noqa: F401 - Each import declares its task types.
