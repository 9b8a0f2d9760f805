/** Proxied requests as a way into networks that only the server reaches, and to the server itself. */

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useTarget } from "./target.ts";

const strict = useTarget();
const lenient = useTarget({ flags: () => ["--proxy-local-targets=allow"] });

/** What an attacker would like to reach: a service on this machine. */
const seen: { url: string; headers: IncomingMessage["headers"] }[] = [];
let connections = 0;
const victim = createServer(({ url = "", headers }, response) => {
  seen.push({ url, headers });
  response.end("secret");
});
victim.on("connection", () => connections++);
const port = () => (victim.address() as AddressInfo).port;
beforeAll(() => new Promise<void>((done) => victim.listen(0, () => done())));
beforeEach(() => {
  seen.length = 0;
  connections = 0;
});
afterAll(() => {
  victim.closeAllConnections();
  victim.close();
});

const pods = "/api/v1/namespaces/default/pods";
let count = 0;
async function podAt(target: typeof strict, address: string): Promise<string> {
  const name = `p${++count}`;
  const containers = [{ name: "c", image: "i" }];
  expect((await target.post(pods, { metadata: { name }, spec: { containers } })).status).toBe(201);
  const type = "application/merge-patch+json";
  const body = { status: { podIP: address, podIPs: [{ ip: address }] } };
  const set = await target.request(`${pods}/${name}/status`, { method: "PATCH", body, type });
  expect([200, 422]).toContain(set.status);
  return name;
}
async function nodeAt(target: typeof strict, address: string, agentPort: number): Promise<string> {
  const name = `n${++count}`;
  const status = {
    addresses: [{ type: "InternalIP", address }],
    daemonEndpoints: { orchletEndpoint: { Port: agentPort } },
  };
  expect((await target.post("/api/v1/nodes", { metadata: { name }, status })).status).toBe(201);
  return name;
}

describe("C04 addresses that lead back to this machine", () => {
  const spellings = [
    "127.0.0.1",
    "127.1.2.3",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0.0.0.0",
    "::",
    "169.254.169.254",
    "fe80::1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "localhost",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
  ];
  for (const address of spellings) {
    test(`C04 a node or pod at ${address} is not reached, whatever port and scheme is requested`, async () => {
      const node = await nodeAt(strict, address, port());
      const pod = await podAt(strict, address);
      const paths = [
        `/api/v1/nodes/${node}/proxy/`,
        `/api/v1/nodes/${node}:${port()}/proxy/`,
        `/api/v1/nodes/https:${node}:${port()}/proxy/`,
        `/api/v1/nodes/http:${node}:${port()}/proxy/x`,
        `/api/v1/nodes/https:${node}:10250/proxy/`,
        `${pods}/${pod}:${port()}/proxy/`,
        `${pods}/https:${pod}:${port()}/proxy/`,
      ];
      for (const path of paths) {
        const { status, body } = await strict.request(path);
        expect([path, status, (body as { message: string }).message]).toEqual([
          path,
          400,
          // A pod whose status is refused, because the address is not one, has none.
          expect.stringMatching(
            /^address not allowed: (the pod has none yet|.*--proxy-local-targets=allow \(a workspace reaches none\))$/,
          ),
        ]);
      }
      expect(connections).toBe(0);
    });
  }
});

test("A02 the server never proxies to itself, even where local targets are allowed", async () => {
  for (const address of ["127.0.0.1", "127.0.0.2", "::ffff:127.0.0.1", "localhost"]) {
    const node = await nodeAt(lenient, address, lenient.port);
    for (const name of [node, `${node}:${lenient.port}`, `https:${node}:${lenient.port}`]) {
      const { status } = await lenient.request(`/api/v1/nodes/${name}/proxy/api/v1/secrets`);
      expect([address, name, status]).toEqual([address, name, 400]);
    }
  }
  const pod = await podAt(lenient, "127.0.0.1");
  expect((await lenient.request(`${pods}/https:${pod}:${lenient.port}/proxy/api`)).status).toBe(400);
});

describe("the request that a backend gets", () => {
  test("A07 has the authorized path; paths with dots or empty segments never arrive", async () => {
    const path = `${pods}/${await podAt(lenient, "127.0.0.1")}:${port()}/proxy`;
    for (const bad of ["/../secrets", "/a/../../x", "/%2e%2e/x", "/a/%2E%2E%2fx", "/./x", "//x", "/a//b", "/a%00b"]) {
      const { statuses } = await lenient.raw(
        `GET ${path}${bad} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token-of-the-suite\r\nConnection: close\r\n\r\n`,
      );
      expect([bad, statuses.length, [400, 404].includes(statuses[0] ?? 0)]).toEqual([bad, 1, true]);
    }
    expect(seen).toEqual([]);
    for (const good of ["/a/b", "/a%20b/%C3%BC", "/a;b=c/@:!$&'()*+,~", "/..a/b.."]) {
      expect([good, (await lenient.request(path + good)).status]).toEqual([good, 200]);
      expect(seen.at(-1)).toMatchObject({ url: good, headers: { "x-forwarded-uri": path + good } });
    }
  });

  test("C08 has the query byte by byte, however it would be parsed", async () => {
    const path = `${pods}/${await podAt(lenient, "127.0.0.1")}:${port()}/proxy`;
    const parts = ["a", "=", "&", ";", "%", "zz", "%26", "+", "?", "/", "..", "path=", "%00", "[]", "'", '"'];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let round = 0; round < 300; round++) {
      const query = `?${Array.from({ length: 1 + next(12) }, () => parts[next(parts.length)]).join("")}`;
      const { status } = await lenient.request(`${path}/q${query}`);
      expect([query, status, seen.at(-1)?.url]).toEqual([query, 200, `/q${query}`]);
    }
  });

  test("A06 has no header that names a user, however it is spelled", async () => {
    const path = `${pods}/${await podAt(lenient, "127.0.0.1")}:${port()}/proxy/`;
    const headers = {
      "X-Remote-User": "root",
      "x-remote-group": "system:masters",
      "X-REMOTE-EXTRA-Scopes": "all",
      "Proxy-Authorization": "Basic x",
    };
    expect((await lenient.request(path, { headers })).status).toBe(200);
    const names = Object.keys(seen[0]?.headers ?? {});
    expect(names.filter((name) => /authorization|x-remote|impersonate/.test(name))).toEqual([]);
  });

  test("N16 is one request for each authorized one, whatever its body looks like", async () => {
    const path = `${pods}/${await podAt(lenient, "127.0.0.1")}:${port()}/proxy/`;
    const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    const head = (method: string, lines: string[]) =>
      [`${method} ${path} HTTP/1.1`, "Host: x", "Authorization: Bearer admin-token-of-the-suite", ...lines].join(
        "\r\n",
      );
    const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      const requests = [
        `${head(method, [`Content-Length: ${hidden.length}`])}\r\n\r\n${hidden}`,
        `${head(method, ["Transfer-Encoding: chunked"])}\r\n\r\n${chunk}`,
        `${head(method, ["Connection: content-length, upgrade", "Upgrade: x", `Content-Length: ${hidden.length}`])}\r\n\r\n${hidden}`,
      ];
      for (const request of requests) {
        const before = seen.length;
        const { statuses } = await lenient.raw(request, { quietMs: 300, answers: 1 });
        expect([method, statuses, seen.slice(before).map(({ url }) => url)]).toEqual([method, [200], ["/"]]);
      }
    }
  });

  test("C13 does not exist if the user lacks the right: each method needs the right of its verb", async () => {
    const path = `${pods}/${await podAt(lenient, "127.0.0.1")}:${port()}/proxy/`;
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]) {
      const { status } = await lenient.request(path, { method, token: "alice-token-of-the-suite" });
      expect([method, status]).toEqual([method, 403]);
    }
    for (const method of ["TRACE", "CONNECT", "PROPFIND"]) {
      const { statuses } = await lenient.raw(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token-of-the-suite\r\nConnection: close\r\n\r\n`,
      );
      expect([method, statuses.filter((status) => status < 300)]).toEqual([method, []]);
    }
    expect(connections).toBe(0);
  });
});
