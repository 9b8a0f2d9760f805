import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { Duplex } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proxiedPerBackendMax } from "../extensions/proxy/proxy.ts";
import {
  certificateFor,
  core,
  openBackend,
  openProxyingServer,
  openRawBackend,
  ownAddress,
  type ProxyingServer,
  type TestBackend,
  token,
} from "./proxy.suite.ts";

let proxying: ProxyingServer;
const backends: TestBackend[] = [];
const backend = async (...args: Parameters<typeof openBackend>) => {
  const opened = await openBackend(...args);
  backends.push(opened);
  return opened;
};
let count = 0;
/** A pod in front of a backend; its path up to "/proxy". */
const podOf = async ({ port }: TestBackend, scheme = "http", annotations: object = {}) => {
  const name = `p${++count}`;
  await proxying.pod(name, "127.0.0.1", { annotations });
  return `${core}/pods/${scheme}:${name}:${port}/proxy`;
};

beforeAll(async () => {
  proxying = await openProxyingServer();
});
afterAll(async () => {
  await proxying.close();
  for (const one of backends) await one.close();
});

describe("a pod", () => {
  test("gets every method with its path, query and body, and its answer comes back", async () => {
    const echo = await backend({
      answer: (request, response) => {
        response.writeHead(request.method === "POST" ? 201 : 200, {
          "x-from": "backend",
          "set-cookie": ["a=1", "b=2"],
        });
        request.pipe(response);
      },
    });
    const path = await podOf(echo);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]) {
      const body = method === "GET" || method === "HEAD" ? {} : { body: `body of ${method}` };
      const answer = await proxying.ask(`${path}/a/b%20c/?x=1&y=%zz`, { method, ...body });
      expect([method, answer.status, answer.text]).toEqual([method, method === "POST" ? 201 : 200, body.body ?? ""]);
      expect(answer.headers).toMatchObject({ "x-from": "backend", "set-cookie": ["a=1", "b=2"] });
      expect(answer.headers["audit-id"]).toBeTruthy();
    }
    expect(echo.seen.map(({ method }) => method)).toEqual(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
    for (const { url } of echo.seen) expect(url).toBe("/a/b%20c/?x=1&y=%zz");
  });

  test("gets bodies of unknown length with every method", async () => {
    const echo = await backend({ answer: (request, response) => void request.pipe(response) });
    const path = await podOf(echo);
    for (const method of ["GET", "POST", "DELETE"]) {
      const headers = { "transfer-encoding": "chunked" };
      const socket = await proxying.raw(
        `${method} ${path}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`,
      );
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      expect([method, text.includes("body"), echo.seen.at(-1)?.headers]).toMatchObject([method, true, headers]);
    }
  });

  test("never gets the client's credential or a header that names a user [A06]", async () => {
    const plain = await backend({});
    const path = await podOf(plain);
    await proxying.ask(`${path}/`, {
      headers: {
        "x-remote-user": "root",
        "x-remote-group": ["system:masters"],
        "x-remote-extra-scopes": "all",
        cookie: "kept=1",
        "x-forwarded-for": "192.0.2.1",
        connection: "x-hop",
        "x-hop": "1",
        te: "trailers",
      },
    });
    const { headers } = plain.seen[0]!;
    expect(Object.keys(headers).filter((name) => /authorization|x-remote|impersonate|x-hop|^te$/.test(name))).toEqual(
      [],
    );
    expect(headers).toMatchObject({ cookie: "kept=1", "x-forwarded-uri": `${path}/` });
    expect(headers["x-forwarded-for"]).toMatch(/^192\.0\.2\.1, .*127\.0\.0\.1$/);
    expect(headers.host).toBe(new URL(proxying.url).host);
    expect(JSON.stringify(plain.seen)).not.toContain(token);
  });

  test("[A05] gets no credential of a call inside the process either", async () => {
    const plain = await backend({});
    const answer = await proxying.server.fetch(`${await podOf(plain)}/`);
    expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
    expect(Object.keys(plain.seen[0]!.headers).sort()).toEqual(["connection", "host", "x-forwarded-uri"]);
  });

  test("is found by the number or the name of a port, or by its first port", async () => {
    const plain = await backend({});
    const ports = [{ name: "web", containerPort: plain.port }];
    await proxying.pod("ports", "127.0.0.1", { ports });
    for (const name of ["ports", "ports:web", `ports:${plain.port}`, "http:ports:web", "http:ports:"]) {
      expect([name, (await proxying.ask(`${core}/pods/${name}/proxy/`)).status]).toEqual([name, 200]);
    }
    expect((await proxying.ask(`${core}/pods/ports:nope/proxy/`)).status).toBe(503);
    for (const name of ["ftp:ports:1", "a:b:c:d", ":ports:1"]) {
      expect([name, (await proxying.ask(`${core}/pods/${name}/proxy/`)).status]).toEqual([name, 400]);
    }
  });

  test("that does not exist, has no address or does not answer is told apart", async () => {
    expect((await proxying.ask(`${core}/pods/none/proxy/`)).status).toBe(404);
    await proxying.post(`${core}/pods`, {
      metadata: { name: "new" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const unknown = await proxying.ask(`${core}/pods/new/proxy/`);
    expect([unknown.status, JSON.parse(unknown.text).message]).toEqual([400, "address not allowed"]);
    const closed = await openBackend({});
    const path = await podOf(closed);
    await closed.close();
    const refused = await proxying.ask(`${path}/`);
    expect([refused.status, JSON.parse(refused.text).reason]).toEqual([503, "ServiceUnavailable"]);
    expect(JSON.parse(refused.text).message).toMatch(/^error trying to reach service: .*ECONNREFUSED/);
  });

  test("is not asked at all for a path without the slash, which its relative links need", async () => {
    const plain = await backend({});
    const path = await podOf(plain);
    const { status, headers } = await proxying.ask(`${path}?a=b`);
    expect([status, headers.location]).toEqual([301, `${path}/?a=b`]);
    expect(plain.seen).toEqual([]);
    expect((await proxying.ask(path, { method: "POST" })).status).toBe(200);
    expect(plain.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["POST /"]);
  });

  test("has its redirects and the links of its pages rewritten, also in compressed pages", async () => {
    const page = '<a href="/x">ü</a><a href="y">';
    const links = await backend({
      answer: ({ url }, response) => {
        const type = { "content-type": "text/html; charset=utf-8", "access-control-allow-origin": "*" };
        if (url === "/redirect") response.writeHead(302, { location: "/login" }).end();
        else if (url === "/gzip") response.writeHead(200, { ...type, "content-encoding": "gzip" }).end(gzipSync(page));
        else if (url === "/text") response.writeHead(200, { "content-type": "text/plain" }).end(page);
        else response.writeHead(200, { ...type, "content-length": Buffer.byteLength(page) }).end(page);
      },
    });
    const path = await podOf(links);
    const expected = `<a href="${path}/x">ü</a><a href="y">`;
    const redirect = await proxying.ask(`${path}/redirect`);
    expect([redirect.status, redirect.headers.location]).toEqual([302, `${path}/login`]);
    const html = await proxying.ask(`${path}/page`);
    expect(Buffer.from(html.text, "latin1").toString()).toBe(expected);
    expect(html.headers["access-control-allow-origin"]).toBeUndefined();
    const packed = await proxying.ask(`${path}/gzip`);
    expect(gunzipSync(Buffer.from(packed.text, "latin1")).toString()).toBe(expected);
    expect(Buffer.from((await proxying.ask(`${path}/text`)).text, "latin1").toString()).toBe(page);
  });

  test("streams in both directions while neither side has ended", async () => {
    const echo = await backend({
      answer: (request, response) => {
        response.flushHeaders();
        request.on("data", (chunk: Buffer) => response.write(`<${chunk.toString()}>`));
        request.on("end", () => response.end("done"));
      },
    });
    const path = await podOf(echo);
    const { authority } = await proxying.server.clientConfig();
    const client = connectHttp2(proxying.url, { ca: authority });
    const stream = client.request({ ":method": "POST", ":path": `${path}/`, authorization: `Bearer ${token}` });
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    for (const word of ["one", "two", "three"]) {
      stream.write(word);
      await expect.poll(() => text).toContain(`<${word}>`);
    }
    stream.end();
    await once(stream, "end");
    expect(text).toBe("<one><two><three>done");
    client.close();
  });

  test("is left when its client has gone", async () => {
    const endless = await backend({
      answer: (_, response) => {
        const timer = setInterval(() => response.write("x"), 5);
        response.on("close", () => clearInterval(timer));
      },
    });
    const path = await podOf(endless);
    const socket = await proxying.raw(`GET ${path}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
    await expect.poll(() => endless.open.size).toBe(0);
  });

  test("that answers nothing, or no HTTP, is a 503", async () => {
    for (const text of [
      "",
      "garbage",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`,
      "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
    ]) {
      const odd = await openRawBackend((socket) => socket.end(text));
      await proxying.pod(`odd${odd.port}`, "127.0.0.1");
      const answer = await proxying.ask(`${core}/pods/odd${odd.port}:${odd.port}/proxy/`);
      expect([text.slice(0, 20), answer.status, JSON.parse(answer.text).kind]).toEqual([
        text.slice(0, 20),
        503,
        "Status",
      ]);
      await odd.close();
    }
  });

  test("that is slow does not take the place of others: further requests to it are 429", async () => {
    const hanging = await backend({ answer: () => {} });
    const other = await backend({});
    const path = await podOf(hanging);
    const { authority } = await proxying.server.clientConfig();
    const clients = Array.from({ length: 2 }, () => connectHttp2(proxying.url, { ca: authority }));
    const headers = { ":path": `${path}/`, authorization: `Bearer ${token}` };
    for (let at = 0; at < proxiedPerBackendMax; at++)
      clients[at % 2]!.request(headers)
        .on("error", () => {})
        .resume();
    await expect.poll(() => hanging.seen.length, { timeout: 20_000 }).toBe(proxiedPerBackendMax);
    expect((await proxying.ask(`${path}/`)).status).toBe(429);
    expect((await proxying.ask(`${await podOf(other)}/`)).status).toBe(200);
    for (const client of clients) client.destroy();
    await expect.poll(() => hanging.open.size, { timeout: 20_000 }).toBe(0);
  });

  test("that sends without end is read no faster than its client reads", async () => {
    let sent = 0;
    const endless = await backend({
      answer: (_, response) => {
        const piece = Buffer.alloc(65_536);
        const send = () => {
          do sent += piece.length;
          while (response.write(piece) && !response.destroyed);
        };
        response.on("drain", send);
        send();
      },
    });
    const socket = await proxying.raw(
      `GET ${await podOf(endless)}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.pause();
    // It stops when the buffers of all sockets are full.
    let before = 0;
    const hasStopped = () => {
      const isSame = sent > 0 && sent === before;
      before = sent;
      return isSame;
    };
    await expect.poll(hasStopped, { interval: 300, timeout: 20_000 }).toBe(true);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
    await expect.poll(() => endless.open.size).toBe(0);
  });

  test("that breaks off leaves an answer that is visibly incomplete", async () => {
    const broken = await backend({
      answer: (request, response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("half", () => request.socket.destroy());
      },
    });
    await expect(proxying.ask(`${await podOf(broken)}/`)).rejects.toThrow();
  });
});

describe("upgrades", () => {
  const asks = (path: string, protocol = "websocket") =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
  /** Everything until the connection closes, or until `stop` is in it. */
  const read = async (socket: Duplex, stop?: string) => {
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (stop !== undefined && text.includes(stop)) break;
    }
    return text;
  };
  const echoing = () =>
    backend({
      upgrade: (request, socket) => {
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${String(request.headers.upgrade)}\r\nX-From: pod\r\n\r\nwelcome `,
        );
        socket.on("data", (chunk: Buffer) => {
          socket.write(`[${chunk.toString()}]`);
          if (chunk.includes("bye")) socket.end();
        });
      },
    });

  for (const protocol of ["websocket", "SPDY/3.1", "tcp-over-http"]) {
    test(`${protocol}: both connections are joined, and close together`, async () => {
      const echo = await echoing();
      const socket = await proxying.raw(asks(`${await podOf(echo)}/socket?a=1`, protocol));
      let text = "";
      socket.on("data", (chunk) => {
        text += String(chunk);
      });
      await expect.poll(() => text).toContain("welcome ");
      expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
      expect(text).toContain("x-from: pod\r\n");
      socket.write("hello");
      await expect.poll(() => text).toContain("[hello]");
      socket.write("bye");
      await once(socket, "close");
      expect(text.endsWith("[bye]")).toBe(true);
      await expect.poll(() => echo.open.size).toBe(0);
      expect(echo.seen[0]).toMatchObject({ url: "/socket?a=1", headers: { upgrade: protocol } });
      expect(echo.seen[0]?.headers.authorization).toBeUndefined();
    });
  }

  test("a large transfer is neither lost nor reordered when the backend closes", async () => {
    const bytes = Buffer.alloc(3_000_000, "abcdefghij");
    const sender = await backend({
      upgrade: (_, socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
        socket.end(bytes);
      },
    });
    const text = await read(await proxying.raw(asks(`${await podOf(sender)}/`, "x")));
    expect(text.slice(text.indexOf("\r\n\r\n") + 4) === bytes.toString()).toBe(true);
  });

  test("a stop of the server closes joined connections", async () => {
    const own = await openProxyingServer();
    const echo = await echoing();
    await own.pod("p", "127.0.0.1");
    const socket = await own.raw(asks(`${core}/pods/p:${echo.port}/proxy/`));
    await once(socket, "data");
    await own.close();
    await expect.poll(() => echo.open.size).toBe(0);
    socket.destroy();
  });

  const refusals = [
    { status: "200 OK", expected: 502 },
    { status: "302 Found\r\nLocation: http://127.0.0.1:1/", expected: 502 },
    { status: "101 Switching Protocols", expected: 502 },
    { status: "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other", expected: 502 },
    { status: "403 Forbidden", expected: 403 },
    { status: "500 Internal Server Error", expected: 500 },
  ];
  for (const { status, expected } of refusals) {
    test(`[C01] [C02] an upgrade that is answered ${JSON.stringify(status)} joins nothing`, async () => {
      const stub = await backend({
        upgrade: (_, socket) => {
          socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nno`);
        },
      });
      const path = await podOf(stub);
      const hidden = `GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n`;
      const socket = await proxying.raw(`${asks(`${path}/`)}${hidden}`);
      socket.write(hidden);
      const text = await read(socket);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `));
      expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(text.toLowerCase()).not.toContain("location");
      await expect.poll(() => stub.open.size).toBe(0);
      expect(stub.seen).toHaveLength(1);
    });
  }

  test("a page of another origin gets no connection to a pod", async () => {
    const echo = await echoing();
    const path = await podOf(echo);
    const text = await read(
      await proxying.raw(
        asks(`${path}/`).replace("Host: x", "Host: x\r\nOrigin: https://evil.test\r\nConnection: close"),
      ),
    );
    expect(text).not.toContain("101 Switching");
    expect(echo.seen.every(({ headers }) => headers.upgrade === undefined)).toBe(true);
  });
});

describe("certificates of backends [A03]", () => {
  test("a pod whose certificate is not trusted is 502, unless the pod says that any will do", async () => {
    const secure = await backend({ tls: certificateFor("other.example.com") });
    const strict = await podOf(secure, "https");
    const refused = await proxying.ask(`${strict}/`);
    expect([refused.status, secure.seen.length]).toEqual([502, 0]);
    const lenient = await podOf(secure, "https", { "proxy.orch.io/insecure-skip-tls-verify": "true" });
    expect((await proxying.ask(`${lenient}/`)).text).toBe("hello");
  });
});

describe("a service", () => {
  const service = (name: string, ports: object[]) =>
    proxying.post(`${core}/services`, { metadata: { name }, spec: { ports } });
  const endpoints = (name: string, ip: string, pod: string, ports: object[]) =>
    proxying.post(`${core}/endpoints`, {
      metadata: { name },
      subsets: [{ addresses: [{ ip, targetRef: { kind: "Pod", name: pod, namespace: "default" } }], ports }],
    });

  test.skipIf(ownAddress === undefined)("is reached at a ready endpoint, by the number or name of a port", async () => {
    const plain = await backend({ host: ownAddress! });
    await proxying.pod("behind", ownAddress!);
    await service("web", [{ name: "http", port: 80 }]);
    await endpoints("web", ownAddress!, "behind", [{ name: "http", port: plain.port }]);
    for (const name of ["web:80", "web:http", "http:web:80"]) {
      expect([name, (await proxying.ask(`${core}/services/${name}/proxy/deep?a`)).text]).toEqual([name, "hello"]);
    }
    expect(plain.seen.map(({ url }) => url)).toEqual(["/deep?a", "/deep?a", "/deep?a"]);
    const unnamed = await proxying.ask(`${core}/services/web/proxy/`);
    expect([unnamed.status, JSON.parse(unnamed.text).message]).toEqual([
      503,
      'no endpoints available for service "web"',
    ]);
    const missing = await proxying.ask(`${core}/services/web:81/proxy/`);
    expect(JSON.parse(missing.text).message).toBe('no service port 81 found for service "web"');
  });

  test.skipIf(ownAddress === undefined)("is not reached at an address that is not its pod's [C16]", async () => {
    const plain = await backend({ host: ownAddress! });
    await proxying.pod("elsewhere", "10.9.9.9");
    await service("forged", [{ port: 80 }]);
    await endpoints("forged", ownAddress!, "elsewhere", [{ port: plain.port }]);
    const answer = await proxying.ask(`${core}/services/forged/proxy/`);
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      503,
      'no endpoints available for service "forged"',
    ]);
    expect(plain.connections()).toBe(0);
  });
});

describe("a node", () => {
  const node = (name: string, addresses: object[], port?: number) =>
    proxying.post("/api/v1/nodes", {
      metadata: { name, annotations: { "proxy.orch.io/insecure-skip-tls-verify": "true" } },
      status: { addresses, ...(port === undefined ? {} : { daemonEndpoints: { orchletEndpoint: { Port: port } } }) },
    });

  test("is reached at its agent over https, and at another port as asked", async () => {
    const agent = await backend({ tls: certificateFor("n1") });
    const plain = await backend({});
    await node("n1", [{ type: "InternalIP", address: "127.0.0.1" }], agent.port);
    for (const name of ["n1", `n1:${agent.port}`, `https:n1:${agent.port}`]) {
      expect([name, (await proxying.ask(`/api/v1/nodes/${name}/proxy/pods`)).text]).toEqual([name, "hello"]);
    }
    expect(agent.seen.map(({ url }) => url)).toEqual(["/pods", "/pods", "/pods"]);
    expect((await proxying.ask(`/api/v1/nodes/n1:${plain.port}/proxy/metrics`)).text).toBe("hello");
    expect((await proxying.ask("/api/v1/nodes/none/proxy/")).status).toBe(404);
    await node("n2", []);
    const unknown = await proxying.ask("/api/v1/nodes/n2/proxy/");
    expect([unknown.status, JSON.parse(unknown.text).message]).toEqual([
      503,
      "no preferred addresses found; known addresses: []",
    ]);
  });
});
