"""What every request passes: its metadata, its token, the counts."""

import base64
import collections
import hmac
import json
import time

import grpc

from ydb_server.error import YdbError

DATABASE = "x-ydb-database"
TICKET = "x-ydb-auth-ticket"
BUILD_INFO = "x-ydb-sdk-build-info"


class Gate:
    def __init__(self, database, user, password, settings, seed):
        self._database = database
        self._user = user                  # None: everybody may
        self._password = password
        self._settings = settings
        self._secret = f"drover-{seed}".encode()
        self.requests = collections.Counter()
        self.refused = collections.Counter()
        self.build_infos = collections.Counter()
        self.peers = {}                    # node: set of peers

    async def enter(self, context, node, method, needs_ticket=True):
        """Counts, checks; aborts the call where a ticket is missing or no good."""
        self.requests[method] += 1
        self.peers.setdefault(node, set()).add(context.peer())
        metadata = {key: value for key, value in context.invocation_metadata()}
        self.build_infos[metadata.get(BUILD_INFO, "")] += 1
        if needs_ticket and self._user is not None:
            problem = self._problem_of(metadata.get(TICKET))
            if problem:
                self.refused["UNAUTHENTICATED"] += 1
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, problem)
        database = metadata.get(DATABASE)
        if database != self._database:
            self.refused["database"] += 1
            if database is None:
                raise YdbError("BAD_REQUEST", f"the metadata {DATABASE} is missing")
            raise YdbError("NOT_FOUND", f"Database not found: {database}")
        if BUILD_INFO not in metadata:
            self.refused["build info"] += 1
            raise YdbError("BAD_REQUEST", f"the metadata {BUILD_INFO} is missing")

    def login(self, user, password):
        """A token like a JWT: header, payload with its times, signature."""
        if self._user is None:
            raise YdbError("UNSUPPORTED", "this server runs without --auth")
        if user != self._user:
            raise YdbError("UNAUTHORIZED", f"Cannot find user: {user}")
        if password != self._password:
            raise YdbError("UNAUTHORIZED", "Invalid password")
        now = time.time()
        payload = {"sub": user, "aud": [self._database], "iat": int(now),
                   "exp": now + self._settings.token_seconds}
        # The specification allows fractions, and tests want a life below a second.
        if self._settings.token_seconds >= 2:
            payload["exp"] = int(payload["exp"])
        signed = ".".join(_encoded(json.dumps(one).encode())
                          for one in ({"alg": "HS256", "typ": "JWT"}, payload))
        return f"{signed}.{_encoded(self._signature(signed))}"

    def _signature(self, text):
        return hmac.digest(self._secret, text.encode(), "sha256")

    def _problem_of(self, token):
        if not token:
            return "Access denied without user token"
        signed, _, signature = token.rpartition(".")
        try:
            if not hmac.compare_digest(_encoded(self._signature(signed)), signature):
                return "Access denied: the token is not one of this server's"
            payload = json.loads(_decoded(signed.split(".")[1]))
        except (ValueError, IndexError, TypeError):
            return "Access denied: the token cannot be read"
        return "Access denied: Token is expired" if payload["exp"] <= time.time() else None


def _encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
