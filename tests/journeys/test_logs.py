"""What a handler logs comes out of a real worker; what drowns it does not."""

import pytest

from tests.stack import Client, Stack

pytestmark = pytest.mark.journey


def test_it_shows_what_a_handler_logs(stack: Stack, client: Client) -> None:
    task_id = client.submit("probe_progress")
    client.wait_for(task_id, "completed")

    begin = f"task {task_id} attempt 1: "
    stack.worker.wait_for_line(f"{begin}probe_progress starts")
    stack.worker.wait_for_line(f"INFO agents_app.probes: {begin}counts")
    stack.worker.wait_for_line(f"{begin}completed")


def test_it_keeps_the_lines_of_bells_out(stack: Stack, client: Client) -> None:
    client.wait_for(client.submit("probe_echo"), "completed")

    assert "synapse.advance" not in stack.worker.said()
    assert "superuser" not in stack.worker.said()
