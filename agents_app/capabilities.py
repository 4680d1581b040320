"""What this gateway can do, as callers and agents read it (P2A 7.5 and 7.6).

Answers `GET /capabilities` and `p2p:capability_query` from one source, the registry.
"""

from collections.abc import Sequence

from agents_app.protocol.envelope import VERSION
from agents_app.protocol.jsontext import dumps
from agents_app.registry import HandlerSpec, JsonSchema, enabled_specs


def document(
    *,
    agent_id: str,
    agent_name: str,
    max_file_size: int,
    max_concurrent_tasks: int,
    max_task_duration: int,
    content_types: Sequence[str],
) -> dict[str, object]:
    """The list of P2A 7.5. Sizes in bytes, durations in seconds.

    The numbers are the caller's to enforce: nothing is advertised that does not hold.
    """
    return {
        "agent_id": agent_id,
        "agent_name": agent_name,
        "protocol_version": VERSION,
        "supported_task_types": [task_type(spec) for spec in enabled_specs()],
        "supported_content_types": list(content_types),
        "max_file_size": max_file_size,
        "max_concurrent_tasks": max_concurrent_tasks,
        "max_task_duration": max_task_duration,
        "support_progress_updates": True,
        "support_streaming": False,
        "support_hil": True,
        "support_groups": False,
    }


def task_type(spec: HandlerSpec) -> dict[str, object]:
    """One entry of P2A 7.6. The seed wants schemas as strings; the objects
    and the numbers of files are ours."""
    return {
        "type": spec.task_type,
        "name": spec.name,
        "description": spec.description,
        "estimated_time": spec.estimated_time,
        "input_schema": _text(spec.input_schema),
        "output_schema": _text(spec.output_schema),
        "capabilities": list(spec.capabilities),
        "input_schema_object": spec.input_schema,
        "output_schema_object": spec.output_schema,
        "min_files": spec.min_files,
        "max_files": spec.max_files,
    }


def _text(schema: JsonSchema) -> str:
    return dumps(schema).decode()
