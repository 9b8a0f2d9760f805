import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { proxiedPerBackendMax, proxiedPerUserMax } from "../../src/extensions/proxy/proxy.ts";
import { core, openBackend, openRawBackend, proxyFixture, token } from "./proxy.suite.ts";

const { proxying, backend, podOf } = proxyFixture();

describe("a pod", () => {
  test("gets every method with its path, query and body, and its answer is returned", async () => {
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
      const answer = await proxying().ask(`${path}/a/b%20c/?x=1&y=%zz`, { method, ...body });
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
      const socket = await proxying().raw(
        `${method} ${path}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`,
      );
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      expect([method, text.includes("body"), echo.seen.at(-1)?.headers]).toMatchObject([method, true, headers]);
    }
  });

  test("never gets the client's credential or a header that names a user (A06 in docs/security-rows.md)", async () => {
    const plain = await backend({});
    const path = await podOf(plain);
    await proxying().ask(`${path}/`, {
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
    expect(headers.host).toBe(new URL(proxying().url).host);
    expect(JSON.stringify(plain.seen)).not.toContain(token);
  });

  test("gets no credential of a call inside the process either (A05)", async () => {
    const plain = await backend({});
    const answer = await proxying().server.fetch(`${await podOf(plain)}/`);
    expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
    expect(Object.keys(plain.seen[0]!.headers).sort()).toEqual(["connection", "host", "x-forwarded-uri"]);
  });

  test("is found by the number or the name of a port, or by its first port", async () => {
    const plain = await backend({});
    const ports = [{ name: "web", containerPort: plain.port }];
    await proxying().pod("ports", "127.0.0.1", { ports });
    for (const name of ["ports", "ports:web", `ports:${plain.port}`, "http:ports:web", "http:ports:"]) {
      expect([name, (await proxying().ask(`${core}/pods/${name}/proxy/`)).status]).toEqual([name, 200]);
    }
    expect((await proxying().ask(`${core}/pods/ports:nope/proxy/`)).status).toBe(503);
    for (const name of ["ftp:ports:1", "a:b:c:d", ":ports:1"]) {
      expect([name, (await proxying().ask(`${core}/pods/${name}/proxy/`)).status]).toEqual([name, 400]);
    }
  });

  test("has different errors if it does not exist, has no address or does not answer", async () => {
    expect((await proxying().ask(`${core}/pods/none/proxy/`)).status).toBe(404);
    await proxying().post(`${core}/pods`, {
      metadata: { name: "new" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const unknown = await proxying().ask(`${core}/pods/new/proxy/`);
    expect([unknown.status, JSON.parse(unknown.text).message]).toEqual([
      400,
      "address not allowed: the pod has none yet",
    ]);
    const closed = await openBackend({});
    const path = await podOf(closed);
    await closed.close();
    const refused = await proxying().ask(`${path}/`);
    expect([refused.status, JSON.parse(refused.text).reason]).toEqual([503, "ServiceUnavailable"]);
    expect(JSON.parse(refused.text).message).toMatch(/^error trying to reach service: .*ECONNREFUSED/);
  });

  test("is not called for a path without the trailing slash, which its relative links need", async () => {
    const plain = await backend({});
    const path = await podOf(plain);
    const { status, headers } = await proxying().ask(`${path}?a=b`);
    expect([status, headers.location]).toEqual([301, `${path}/?a=b`]);
    expect(plain.seen).toEqual([]);
    expect((await proxying().ask(path, { method: "POST" })).status).toBe(200);
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
    const redirect = await proxying().ask(`${path}/redirect`);
    expect([redirect.status, redirect.headers.location]).toEqual([302, `${path}/login`]);
    const html = await proxying().ask(`${path}/page`);
    expect(Buffer.from(html.text, "latin1").toString()).toBe(expected);
    expect(html.headers["access-control-allow-origin"]).toBeUndefined();
    const packed = await proxying().ask(`${path}/gzip`);
    expect(gunzipSync(Buffer.from(packed.text, "latin1")).toString()).toBe(expected);
    expect(Buffer.from((await proxying().ask(`${path}/text`)).text, "latin1").toString()).toBe(page);
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
    const { authority } = await proxying().server.clientConfig();
    const client = connectHttp2(proxying().url, { ca: authority });
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

  test("is disconnected when its client has gone", async () => {
    const endless = await backend({
      answer: (_, response) => {
        const timer = setInterval(() => response.write("x"), 5);
        response.on("close", () => clearInterval(timer));
      },
    });
    const path = await podOf(endless);
    const socket = await proxying().raw(`GET ${path}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
    await expect.poll(() => endless.open.size).toBe(0);
  });

  test("that closes without an answer, or does not speak HTTP, causes a 503", async () => {
    for (const text of [
      "",
      "garbage",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`,
      "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
    ]) {
      const odd = await openRawBackend((socket) => socket.end(text));
      await proxying().pod(`odd${odd.port}`, "127.0.0.1");
      const answer = await proxying().ask(`${core}/pods/odd${odd.port}:${odd.port}/proxy/`);
      expect([text.slice(0, 20), answer.status, JSON.parse(answer.text).kind]).toEqual([
        text.slice(0, 20),
        503,
        "Status",
      ]);
      await odd.close();
    }
  });

  test("that is slow does not delay others: further requests of a user, and further ones to it, are 429", async () => {
    const hanging = await backend({ answer: () => {} });
    const other = await backend({});
    const path = await podOf(hanging);
    const { authority } = await proxying().server.clientConfig();
    const clients = Array.from({ length: 2 }, () => connectHttp2(proxying().url, { ca: authority }));
    const headers = { ":path": `${path}/`, authorization: `Bearer ${token}` };
    const flood = (count: number, as: Record<string, string>) => {
      for (let at = 0; at < count; at++)
        clients[at % 2]!.request({ ...headers, ...as })
          .on("error", () => {})
          .resume();
    };
    flood(proxiedPerUserMax, {});
    await expect.poll(() => hanging.seen.length).toBe(proxiedPerUserMax);
    const beyond = await proxying().ask(`${path}/`);
    expect([beyond.status, JSON.parse(beyond.text).message]).toEqual([
      429,
      expect.stringContaining(`has ${proxiedPerUserMax} proxied requests`),
    ]);
    const ivy = { "impersonate-user": "ivy", "impersonate-group": "system:masters" };
    flood(proxiedPerBackendMax - proxiedPerUserMax, ivy);
    await expect.poll(() => hanging.seen.length).toBe(proxiedPerBackendMax);
    expect((await proxying().ask(`${path}/`, { headers: ivy })).status).toBe(429);
    expect((await proxying().ask(`${await podOf(other)}/`, { headers: ivy })).status).toBe(200);
    for (const client of clients) client.destroy();
    await expect.poll(() => hanging.open.size).toBe(0);
  });

  test("that sends endlessly is read no faster than its client reads", async () => {
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
    const socket = await proxying().raw(
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

  test("that disconnects leaves an answer that is visibly truncated", async () => {
    const broken = await backend({
      answer: (request, response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("half", () => request.socket.destroy());
      },
    });
    await expect(proxying().ask(`${await podOf(broken)}/`)).rejects.toThrow();
  });
});
