import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "./certificate.suite.ts";
import { type Answer, type HookServer, openHookServer } from "./hook-server.suite.ts";
import {
  BusyError,
  createWebhookCaller,
  type WebhookCaller,
  type WebhookCallerOptions,
  webhookAnswerBytesMax,
  webhookCallsBegunMax,
  webhookConnectionsMax,
  webhookQueueMax,
} from "./webhook-caller.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(answer: Answer): Promise<HookServer> {
  const server = await openHookServer(answer);
  open.push(server);
  return server;
}

function callerWith(options: Partial<WebhookCallerOptions> = {}): WebhookCaller {
  const caller = createWebhookCaller({
    findService: () => {
      throw new Error("no endpoints available");
    },
    allows: () => true,
    ...options,
  });
  open.push(caller);
  return caller;
}

const json: Answer = (_request, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}");
const urlOf = (server: HookServer, path = "/") => ({ url: `${server.url}${path}`, authority: server.authority });
const soon = { timeoutMs: 30_000 };

describe("a webhook is called", () => {
  test("with its path and our query, over persistent connections", async () => {
    const server = await serve(json);
    const caller = callerWith();
    for (const body of ["1", "2", "3"])
      await caller.post(urlOf(server, "/a/b"), body, { ...soon, query: "timeout=5s" });
    expect(server.calls.map(({ path, body }) => [path, body])).toEqual([
      ["/a/b?timeout=5s", "1"],
      ["/a/b?timeout=5s", "2"],
      ["/a/b?timeout=5s", "3"],
    ]);
    expect(server.connections()).toBe(1);
  });

  test("with a clean path: no empty or dotted segments, no slash at the end", async () => {
    const server = await serve(json);
    const caller = callerWith({ findService: () => ({ host: "127.0.0.1", port: server.port }) });
    const cases = [
      ["", "/"],
      ["//validate", "/validate"],
      ["/a//b/", "/a/b"],
      ["/a/../b/./c", "/b/c"],
      ["/%2e%2e/a%2fb", "/a/b"],
      ["/a%20b%3Fc%25", "/a%20b%3Fc%25"],
      ["/100%", "/100%25"],
    ] as const;
    for (const [path] of cases) await caller.post(urlOf(server, path), "", { ...soon, query: "q=1" });
    const service = (path: string) => ({ namespace: "shop", name: "hook", path });
    for (const [path] of cases)
      await caller.post({ service: service(path), authority: server.authority }, "", { ...soon, query: "q=1" });
    const sent = cases.map(([, path]) => `${path}?q=1`);
    expect(server.calls.map(({ path }) => path)).toEqual([...sent, ...sent]);
  });

  test("with the server's own certificate as the only one that is trusted", async () => {
    const server = await serve(json);
    const answer = await callerWith().post({ url: server.url, authority: server.certificate }, "", soon);
    expect(answer.status).toBe(200);
    const other = makeCertificate({ subject: [["2.5.4.3", "hooks"]] }).pem;
    await expect(callerWith().post({ url: server.url, authority: other }, "", soon)).rejects.toThrow();
  });

  test("with a User-Agent", async () => {
    const server = await serve(json);
    await callerWith({ userAgent: "tester" }).post(urlOf(server), "", soon);
    await callerWith().post(urlOf(server), "", soon);
    expect(server.calls.map(({ headers }) => headers["user-agent"])).toEqual(["tester", "orch"]);
  });

  test("as a service through an endpoint, by the name that its certificate must have", async () => {
    const server = await serve(json);
    const asked: unknown[] = [];
    const caller = callerWith({
      findService(service) {
        asked.push(service);
        return { host: "127.0.0.1", port: server.port };
      },
    });
    const { authority } = server;
    await caller.post({ service: { namespace: "shop", name: "hook", path: "/x" }, authority }, "", soon);
    expect(asked).toEqual([{ namespace: "shop", name: "hook", port: 443 }]);
    expect(server.calls[0]).toMatchObject({ path: "/x", headers: { host: "hook.shop.svc" } });
    const other = caller.post({ service: { namespace: "shop", name: "other" }, authority }, "", soon);
    await expect(other).rejects.toMatchObject({ code: "UNREACHABLE" });
  });

  test("with the credentials for its host only", async () => {
    const server = await serve(json);
    const credentials = (host: string) => ({
      headers: host === `127.0.0.1:${server.port}` ? { authorization: "Bearer t" } : {},
    });
    await callerWith().post(urlOf(server), "", { ...soon, credentials });
    expect(server.calls[0]?.headers.authorization).toBe("Bearer t");
  });
});

describe("an answer is refused", () => {
  test("when it is endless (N28 in docs/security-rows.md)", async () => {
    const server = await serve((_request, response) => {
      const chunk = Buffer.alloc(256 * 1024, " ");
      const more = () => {
        while (response.write(chunk)) if (response.destroyed) return;
        response.once("drain", more);
      };
      more();
    });
    await expect(callerWith().post(urlOf(server), "", soon)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  test("when it is larger than allowed once it is decompressed (N28)", async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(webhookAnswerBytesMax);
    const server = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    await expect(callerWith().post(urlOf(server), "", soon)).rejects.toMatchObject({ code: "TOO_LARGE" });
    const plain = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    );
    expect((await callerWith().post(urlOf(plain), "", soon)).body).toBe("{}");
    const odd = await serve((_request, response) => response.writeHead(200, { "content-encoding": "br" }).end("x"));
    await expect(callerWith().post(urlOf(odd), "", soon)).rejects.toMatchObject({ code: "UNREADABLE" });
  });

  test("when it stops in the middle, is truncated, or never begins (F13)", async () => {
    const hanging = await serve((_request, response) => void response.writeHead(200).write("{"));
    await expect(callerWith().post(urlOf(hanging), "", { timeoutMs: 200 })).rejects.toMatchObject({ code: "TIMEOUT" });
    const cut = await serve((request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setTimeout(() => request.socket.destroy(), 10);
    });
    await expect(callerWith().post(urlOf(cut), "", soon)).rejects.toMatchObject({ code: "UNREACHABLE" });
    const silent = await serve(() => {});
    await expect(callerWith().post(urlOf(silent), "", { timeoutMs: 200 })).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("when the certificate has another name, or an unknown authority", async () => {
    const server = await serve(json);
    const { url } = server;
    await expect(callerWith().post({ url, authority: "" }, "", soon)).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(server.calls).toEqual([]);
  });
});

describe("checks on the addresses of webhooks (N28)", () => {
  const spellings = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "localhost"];
  for (const host of spellings) {
    test(`${host} is checked as the address that it means`, async () => {
      const server = await serve(json);
      const caller = callerWith({ allows: (address) => !/^(127\.0\.0\.1|::ffff:7f00:1|::1)$/.test(address) });
      const url = `https://${host}:${server.port}/`;
      await expect(caller.post({ url, authority: server.authority }, "", soon)).rejects.toMatchObject({
        code: "FORBIDDEN",
        message: expect.stringMatching(/^address not allowed: .* port \d+; .* --webhook-local-targets=allow/),
      });
      expect(server.connections()).toBe(0);
    });
  }

  test("a redirect is an answer and is not followed (C06)", async () => {
    const elsewhere = await serve(json);
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: `${elsewhere.url}/secret` }).end(),
    );
    expect((await callerWith().post(urlOf(server), "", soon)).status).toBe(302);
    expect(elsewhere.calls).toEqual([]);
  });

  test("only https", async () => {
    for (const url of ["http://127.0.0.1/", "unix:/run/x.sock", "file:///etc/passwd", "nonsense"])
      await expect(callerWith().post({ url, authority: "" }, "", soon)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

test("the queue of one webhook is bounded, and others do not wait (F13)", async () => {
  const stuck = await serve(() => {});
  const fine = await serve(json);
  const caller = callerWith();
  const leave = new AbortController();
  const waiting = Array.from({ length: webhookConnectionsMax + webhookQueueMax }, () =>
    caller.post(urlOf(stuck), "", { ...soon, signal: leave.signal }),
  );
  await expect(caller.post(urlOf(stuck), "", soon)).rejects.toBeInstanceOf(BusyError);
  expect((await caller.post(urlOf(fine), "", soon)).status).toBe(200);
  leave.abort();
  expect((await Promise.allSettled(waiting)).every(({ status }) => status === "rejected")).toBe(true);
});

test("calls that come together begin in several turns of the event loop", async () => {
  const server = await serve(json);
  let begun = 0;
  const allows = () => ++begun > 0;
  const caller = callerWith({ allows });
  const calls = Array.from({ length: 2 * webhookCallsBegunMax + 1 }, () => caller.post(urlOf(server), "", soon));
  await new Promise((resolve) => process.nextTick(resolve));
  expect(begun).toBe(webhookCallsBegunMax);
  let most = 0;
  while (begun < calls.length) {
    const before = begun;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, begun - before);
  }
  expect(most).toBeLessThanOrEqual(webhookCallsBegunMax);
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
});

test("calls that fail together go on a few in one turn of the event loop", async () => {
  const silent = await serve(() => {});
  let begun = 0;
  const caller = callerWith({ allows: () => ++begun > 0 });
  const leave = new AbortController();
  let failed = 0;
  const count = () => void failed++;
  const options = { ...soon, signal: leave.signal };
  const calls = Array.from({ length: 3 * webhookCallsBegunMax }, () =>
    caller.post(urlOf(silent), "", options).catch(count),
  );
  while (begun < calls.length) await new Promise((resolve) => setImmediate(resolve));
  leave.abort();
  let most = 0;
  while (failed < calls.length) {
    const before = failed;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, failed - before);
  }
  expect(most).toBeLessThanOrEqual(webhookCallsBegunMax);
});

test("a persistent connection that the other side has closed is replaced", async () => {
  let first = true;
  const server = await serve((request, response, body) => {
    json(request, response, body);
    if (first) response.on("finish", () => request.socket.destroy());
    first = false;
  });
  const caller = callerWith();
  for (const body of ["1", "2", "3"]) expect((await caller.post(urlOf(server), body, soon)).status).toBe(200);
});

test("after closing no connection is opened, and calls in progress end", async () => {
  const stuck = await serve(() => {});
  const caller = callerWith();
  const waiting = caller.post(urlOf(stuck), "", soon);
  await expect.poll(() => stuck.calls.length).toBe(1);
  caller.close();
  await expect(waiting).rejects.toMatchObject({ name: "CallError" });
  await expect(caller.post(urlOf(stuck), "", soon)).rejects.toMatchObject({ code: "FORBIDDEN" });
});
