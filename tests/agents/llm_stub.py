"""An OpenAI-compatible endpoint on loopback that answers as it is told."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "parrot-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Polly wants a cracker."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8},
}


class Stub:
    """`requests` holds what came in: path, headers and JSON body."""

    def __init__(self):
        self.status, self.body = 200, json.dumps(COMPLETION).encode()
        self.requests = []
        self.hang_up = False

    def answer(self, status, body):
        self.status, self.body = status, json.dumps(body).encode()


@contextmanager
def serving():
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            stub.requests.append((self.path, headers, json.loads(body)))
            if stub.hang_up:
                return
            self.send_response(stub.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(stub.body)))
            self.end_headers()
            self.wfile.write(stub.body)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        stub.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield stub
        server.shutdown()
        thread.join()
