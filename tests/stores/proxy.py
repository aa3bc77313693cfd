"""A proxy that modifies responses in ways that no server does on demand: it delays, refuses, truncates and falsifies
them.

A test sets `Proxy.fault` to a function of a `Request`, which may change it or return a tuple of status, headers and
body in place of the server's response; and `Proxy.alter` to a function of an `Answer`, which may change what is sent of
it.
"""

import http.client
import socketserver
import threading
from http.server import BaseHTTPRequestHandler


class Request:
    """A request."""

    def __init__(self, method, path, headers):
        self.method, self.path, self.headers = method, path, headers

    @property
    def is_read(self):
        """Returns whether bytes of an object are requested."""
        return self.method == "GET" and "list-type=" not in self.path and "alt=json" not in self.path


class Answer:
    """The server's response. `sent` is the number of bytes of the body that are sent before the connection is closed. A
    header with the value None is not sent."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body, self.sent = status, headers, body, None

    def set(self, name, value):
        self.headers = [(n, v) for n, v in self.headers if n.lower() != name.lower()] + [(name, value)]

    def get(self, name):
        return next((v for n, v in self.headers if n.lower() == name.lower()), None)


class Proxy(socketserver.ThreadingTCPServer):
    """Forwards requests to a server on a local port."""

    allow_reuse_address = daemon_threads = True
    request_queue_size = 128

    def __init__(self, port):
        proxy = self
        self.fault = self.alter = lambda _: None
        self.requests = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Small segments in sequence would each wait for an acknowledgement.
            disable_nagle_algorithm = True
            wbufsize = -1

            def forward(self):
                request = Request(self.command, self.path, dict(self.headers.items()))
                proxy.requests.append(request)
                answer = proxy.fault(request)
                if answer is None:
                    upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                    length = int(self.headers.get("content-length") or 0)
                    upstream.request(request.method, request.path, self.rfile.read(length), request.headers)
                    response = upstream.getresponse()
                    hop_by_hop = ("connection", "transfer-encoding", "keep-alive")
                    headers = [(n, v) for n, v in response.getheaders() if n.lower() not in hop_by_hop]
                    answer = Answer(response.status, headers, response.read())
                    upstream.close()
                    if self.command != "HEAD" and answer.get("content-length") is None:
                        answer.set("Content-Length", str(len(answer.body)))
                    proxy.alter(answer) if request.is_read else None
                else:
                    status, headers, body = answer
                    answer = Answer(status, [*headers, ("Content-Length", str(len(body)))], body)
                self.send_response_only(answer.status)
                for name, value in answer.headers:
                    if value is not None:
                        self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body if answer.sent is None else answer.body[: answer.sent])
                if answer.sent is not None:
                    self.close_connection = True

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Some tests are about clients that hang up."""

    def reset(self):
        self.fault = self.alter = lambda _: None
        self.requests = []
