/** Headers that mean two things: framing that hides a second request, and identities that split or double. */

import { beforeAll, describe, expect, test } from "vitest";
import { accessFlags, allowWhoAmI, certificate, presenting, proxyCa, whoAmI } from "./access.ts";
import { adminToken, aliceToken, useTarget } from "./target.ts";

const target = useTarget({ flags: accessFlags });
const proxy = presenting(certificate({ issuer: proxyCa, subject: [["2.5.4.3", "front-proxy"]] }));
const otherProxy = presenting(certificate({ issuer: proxyCa, subject: [["2.5.4.3", "somebody"]] }));

beforeAll(() => allowWhoAmI(target));

describe("N16 smuggling", () => {
  const hidden = `DELETE /api/v1/namespaces/default/configmaps/victim HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`;
  const head = (method: string, lines: readonly string[]) =>
    `${method} /api/v1/namespaces/default/configmaps HTTP/1.1\r\n${["Host: x", `Authorization: Bearer ${aliceToken}`, ...lines].join("\r\n")}\r\n\r\n`;
  const body = `0\r\n\r\n${hidden}`;
  const vectors = [
    { what: "a length and chunks", lines: [`Content-Length: ${body.length}`, "Transfer-Encoding: chunked"] },
    { what: "chunks and a length", lines: ["Transfer-Encoding: chunked", `Content-Length: ${body.length}`] },
    { what: "two lengths", lines: ["Content-Length: 0", `Content-Length: ${body.length}`] },
    { what: "a length that is a list", lines: [`Content-Length: 0, ${body.length}`] },
    { what: "a length with a sign", lines: ["Content-Length: +0"] },
    { what: "a negative length", lines: ["Content-Length: -1"] },
    { what: "a length in hexadecimal", lines: ["Content-Length: 0x0"] },
    { what: "an unknown coding", lines: ["Transfer-Encoding: xchunked"] },
    { what: "chunked, then identity", lines: ["Transfer-Encoding: chunked, identity"] },
    { what: "chunked twice", lines: ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"] },
    { what: "a space before the colon", lines: ["Transfer-Encoding : chunked"] },
    { what: "a folded line", lines: ["X: a\r\n b", "Content-Length: 0"] },
    { what: "a bare line feed", lines: ["X: a\nContent-Length: 0"] },
    { what: "a bare carriage return", lines: ["X: a\rContent-Length: 0"] },
    { what: "a NUL in a header", lines: ["X: a\0b"] },
    { what: "a tab as a name", lines: ["\tX: a"] },
  ];
  for (const { what, lines } of vectors) {
    test(`N16 smuggling: ${what} is one bad request`, async () => {
      await target.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "victim" } });
      const { statuses } = await target.raw(head("POST", lines) + body);
      // Once a request cannot be framed, nothing behind it may be believed. (Node reads codings it does not know after the
      // headers, so the refusal of the right may come first.)
      expect(statuses).toEqual([what === "an unknown coding" ? 403 : 400]);
      expect((await target.request("/api/v1/namespaces/default/configmaps/victim")).status).toBe(200);
    });
  }

  const lineVectors = [
    "GET /version HTTP/1.1 \r\n",
    "GET  /version HTTP/1.1\r\n",
    "GET\t/version HTTP/1.1\r\n",
    "GET /ver sion HTTP/1.1\r\n",
    "GET /version HTTP/9.9\r\n",
    "GET /version\r\n",
    "get /version HTTP/1.1\r\n",
    "\0GET /version HTTP/1.1\r\n",
    "GET /version HTTP/2.0\r\n",
  ];
  for (const first of lineVectors) {
    test(`N16 smuggling: the request line ${JSON.stringify(first)} is refused or harmless`, async () => {
      const { statuses } = await target.raw(`${first}Host: x\r\nConnection: close\r\n\r\n`);
      expect(statuses.length).toBeLessThanOrEqual(1);
      expect([200, 400, 403, 404, 405, 505, undefined]).toContain(statuses[0]);
    });
  }

  test("N16 smuggling: an unread body does not become the next request", async () => {
    await target.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "victim" } });
    for (const method of ["GET", "DELETE", "POST", "PUT"]) {
      const { statuses } = await target.raw(head(method, [`Content-Length: ${hidden.length}`]) + hidden, {
        quietMs: 500,
        answers: 1,
      });
      expect([method, statuses.length]).toEqual([method, 1]);
    }
    expect((await target.request("/api/v1/namespaces/default/configmaps/victim")).status).toBe(200);
  });

  test("N16 smuggling: pipelined requests are answered in order, each with its own credential", async () => {
    const one = (token: string, path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const path = "/api/v1/namespaces/default";
    const { statuses } = await target.raw(
      one(adminToken, path) + one(aliceToken, path) + one(adminToken, path) + one("wrong", path),
      { quietMs: 500, answers: 4 },
    );
    expect(statuses).toEqual([200, 403, 200, 401]);
  });

  for (const method of ["TRACE", "CONNECT", "OPTIONS", "HEAD", "PROPFIND", "M-SEARCH", "UNLOCK"]) {
    test(`N16 smuggling: ${method} shows nothing of the request and tunnels nowhere`, async () => {
      const { text, statuses } = await target.raw(
        `${method} ${method === "CONNECT" ? "127.0.0.1:22" : "/api/v1/namespaces"} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nConnection: close\r\n\r\n`,
      );
      expect(text).not.toContain(adminToken);
      expect([200, 400, 403, 404, 405, 501, undefined]).toContain(statuses[0]);
      if (method !== "HEAD") expect(statuses[0]).not.toBe(200);
    });
  }

  test("N16 smuggling: an upgrade that is not offered does not change the protocol", async () => {
    for (const upgrade of ["websocket", "h2c", "SPDY/3.1", "TLS/1.0"]) {
      const { statuses } = await target.raw(
        `GET /api/v1/namespaces/default HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
        { quietMs: 1_000 },
      );
      expect(statuses).not.toContain(101);
      expect(statuses.length).toBeLessThanOrEqual(1);
    }
  });

  test("N16 smuggling: plain HTTP on the TLS port is refused", async () => {
    const { connect } = await import("node:net");
    const text = await new Promise<string>((done) => {
      const socket = connect(target.port, "127.0.0.1", () => socket.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n"));
      let all = "";
      socket.on("data", (chunk) => {
        all += String(chunk);
      });
      socket.on("error", () => {});
      socket.on("close", () => done(all));
      socket.setTimeout(5_000, () => socket.destroy());
    });
    expect(text).not.toContain("HTTP/1.1 200");
  });
});

describe("N17 header identity confusion", () => {
  const through = (headers: Record<string, string | string[]>, tls = proxy) =>
    whoAmI(target, { token: "", headers, tls });

  test("N17 header identity: one line is one group, never split", async () => {
    const who = await through({ "x-remote-user": "dave", "x-remote-group": "dev, system:masters" });
    expect([who.username, who.groups]).toEqual(["dave", ["dev, system:masters", "system:authenticated"]]);
    const two = await through({ "x-remote-user": "dave", "x-remote-group": ["dev", "ops"] });
    expect(two.groups).toEqual(["dev", "ops", "system:authenticated"]);
    expect((await through({ "x-remote-user": "dave,admin" })).username).toBe("dave,admin");
  });

  test("N17 header identity: two names of one user are a bad request", async () => {
    expect((await through({ "x-remote-user": ["dave", "admin"] })).status).toBe(400);
    expect((await through({ "x-remote-user": ["dave", "dave"] })).status).toBe(400);
    const headers = { authorization: [`Bearer ${aliceToken}`, `Bearer ${adminToken}`] };
    expect((await target.request("/api/v1/namespaces", { token: "", headers })).status).toBe(400);
  });

  test("N17 header identity: without the proxy's certificate its headers are ignored", async () => {
    const headers = {
      "x-remote-user": "admin",
      "x-remote-group": "system:masters",
      X_Remote_User: "admin",
      "x-remote-extra-a": "b",
    };
    expect((await target.request("/api/v1/namespaces", { token: "", headers })).status).toBe(403);
    expect((await target.request("/api/v1/namespaces", { token: aliceToken, headers })).status).toBe(403);
    const who = await whoAmI(target, { token: aliceToken, headers });
    expect([who.username, who.groups]).toEqual(["alice", ["tenants", "system:authenticated"]]);
    expect((await through(headers, otherProxy)).status).toBe(401);
    const client = presenting(certificate({ subject: [["2.5.4.3", "carol"]] }));
    expect((await whoAmI(target, { token: "", headers, tls: client })).username).toBe("carol");
  });

  test("N17 header identity: names with underscores are other headers", async () => {
    const who = await through({ x_remote_user: "admin", "x-remote-user": "dave" });
    expect(who.username).toBe("dave");
    expect((await through({ x_remote_user: "admin" })).status).toBe(401);
  });
});

describe("N34 impersonation", () => {
  const as = (headers: Record<string, string | string[]>, token = adminToken) => whoAmI(target, { token, headers });

  test("N34 impersonation: every part is authorized", async () => {
    for (const headers of [
      { "impersonate-user": "bob" },
      { "impersonate-user": "admin", "impersonate-group": "system:masters" },
      { "impersonate-user": "alice" },
      { "impersonate-user": "system:serviceaccount:orch-system:x" },
      { "impersonate-user": "system:anonymous" },
    ]) {
      expect((await as(headers, aliceToken)).status).toBe(403);
    }
  });

  test("N34 impersonation: groups without a user are a bad request, and one line is one group", async () => {
    expect((await as({ "impersonate-group": "system:masters" })).status).toBe(400);
    expect((await as({ "impersonate-user": "", "impersonate-group": "system:masters" })).status).toBe(400);
    expect((await as({ "impersonate-extra-a": "b" })).status).toBe(400);
    const who = await as({ "impersonate-user": "bob", "impersonate-group": "x,system:masters" });
    expect([who.username, who.groups]).toEqual(["bob", ["x,system:masters", "system:authenticated"]]);
  });

  test("N34 impersonation: unusual keys of extras are ordinary keys, and too many groups are a bad request", async () => {
    for (const key of ["__proto__", "constructor", "%2e%2e", "%zz", "%00", ""]) {
      const who = await as({ "impersonate-user": "bob", [`impersonate-extra-${key}`]: "v" });
      expect([key, who.status < 500]).toEqual([key, true]);
    }
    const groups = Array.from({ length: 500 }, (_, at) => `g${at}`);
    expect((await as({ "impersonate-user": "bob", "impersonate-group": groups })).status).toBe(400);
  });

  test("N34 impersonation: users cannot gain rights through chained impersonation", async () => {
    const rbac = "/apis/rbac.authorization.orch.io/v1";
    const rules = [{ apiGroups: [""], resources: ["users"], resourceNames: ["bob"], verbs: ["impersonate"] }];
    await target.post(`${rbac}/clusterroles`, { metadata: { name: "as-bob" }, rules });
    await target.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "as-bob" },
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "as-bob" },
      subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "alice" }],
    });
    expect((await as({ "impersonate-user": "bob" }, aliceToken)).username).toBe("bob");
    expect((await as({ "impersonate-user": "bob", "impersonate-group": "system:masters" }, aliceToken)).status).toBe(
      403,
    );
    expect((await as({ "impersonate-user": "bob", "impersonate-extra-scopes": "all" }, aliceToken)).status).toBe(403);
    expect((await as({ "impersonate-user": "Bob" }, aliceToken)).status).toBe(403);
    expect((await as({ "impersonate-user": "bob " }, aliceToken)).username).toBe("bob");
  });
});

describe("N18 many and large headers", () => {
  test("N18 headers: 5,000 of them or 100 KB are refused, affecting their own connection only", async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `X-${at}: y`).join("\r\n");
    for (const lines of [many, `X: ${"y".repeat(100_000)}`, `${"X".repeat(70_000)}: y`]) {
      const { statuses } = await target.raw(
        `GET /version HTTP/1.1\r\nHost: x\r\n${lines}\r\nConnection: close\r\n\r\n`,
      );
      expect([200, 400, 403, 431, undefined]).toContain(statuses[0]);
    }
  });

  test("N18 headers: odd Accept headers are refused or ignored", async () => {
    const odd = [
      { accept: "a/b;".repeat(5_000) },
      { accept: `${"application/json,".repeat(3_000)}*/*` },
      { accept: "application/json;as=Table;g=__proto__;v=constructor" },
      { accept: "application/json;as=constructor;g=meta.orch.io;v=v1" },
      { accept: `application/json;q=${"0".repeat(10_000)}` },
      { accept: '"' },
      { accept: ";" },
      { "accept-encoding": `gzip;q=${"0.".repeat(5_000)}` },
      { "accept-encoding": "gzip,".repeat(10_000) },
      { "user-agent": "x".repeat(30_000) },
      { "audit-id": "../../etc/passwd" },
      { "audit-id": "x".repeat(10_000) },
      { "content-type": "application/json;".repeat(2_000) },
      { "if-none-match": "x".repeat(10_000) },
    ];
    for (const headers of odd) {
      const { status } = await target.request("/api/v1/namespaces/default", {
        headers: headers as Record<string, string>,
      });
      expect([200, 400, 406, 415, 431]).toContain(status);
      const created = await target.post(
        "/api/v1/namespaces/default/configmaps?dryRun=All",
        { metadata: { name: "h" } },
        { headers: headers as Record<string, string> },
      );
      expect([201, 400, 406, 415, 431]).toContain(created.status);
    }
  });
});
