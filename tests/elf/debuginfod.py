#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A debuginfod server for tests: debuginfod.py MODE FILE BUILD-ID, on a free
port of 127.0.0.1, which is printed.  Modes: good, wrong (other content), broken
(500), slow (no answer), empty (404)."""
import http.server, sys, time

mode, name = sys.argv[1], sys.argv[2]

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, file=sys.stderr, flush=True)
        if mode == 'broken':
            return self.send_error(500)
        if mode == 'slow':
            time.sleep(30)
        if mode == 'empty' or self.path != '/buildid/%s/debuginfo' % sys.argv[3]:
            return self.send_error(404)
        body = open(name, 'rb').read() if mode != 'wrong' else open('/proc/self/exe', 'rb').read()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
