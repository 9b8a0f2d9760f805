import { afterEach, describe, expect, test } from "vitest";
import type { Audit } from "../audit/contract.ts";
import { createManualClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { unauthorized } from "../machinery/status/status.ts";
import type { ActionRequest } from "../registry/contract/action.ts";
import { admin, ask, openTestServer, type TestServer } from "./server.fixture.ts";
import { createMemoryFetch } from "./transport/memory-exchange.ts";

const servers: TestServer[] = [];
const open = async (...options: Parameters<typeof openTestServer>) => {
  const server = await openTestServer(...options);
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const base = "/apis/toys.example.com/v1/namespaces/a/gadgets";

describe("the chain", () => {
  test("a bug in a handler is one 500, with its cause in the log and not in the answer", async () => {
    const logged: unknown[] = [];
    const log: Log = { debug() {}, info() {}, warn() {}, error: (message, fields) => logged.push([message, fields]) };
    const actions = new Map([["questions", { create: () => Promise.reject(new Error("secret detail")) }]]);
    const { fetch } = await open({ log, actions });
    const [code, body] = await ask(fetch, "POST", "/apis/toys.example.com/v1/questions", {});
    expect([code, JSON.stringify(body).includes("secret"), logged.length]).toEqual([500, false, 1]);
    expect((await ask(fetch, "GET", base))[0]).toBe(200);
  });

  test("requests over the limit get 429 with Retry-After", async () => {
    let release = () => {};
    const wait = new Promise<void>((resolve) => {
      release = resolve;
    });
    const actions = new Map([
      [
        "questions",
        {
          create: async ({ body }: ActionRequest) => {
            await wait;
            return { object: body, code: 201 };
          },
        },
      ],
    ]);
    const { handler } = await open({ actions, limits: { mutatingMax: 1 } });
    const fetch = createMemoryFetch(handler);
    const first = fetch("/apis/toys.example.com/v1/questions", { method: "POST", body: "{}" });
    const second = await fetch("/apis/toys.example.com/v1/questions", { method: "POST", body: "{}" });
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await (await fetch("/metrics")).text()).toContain('dropped_requests_total{request_kind="mutating"} 1');
    expect((await fetch(base)).status).toBe(200);
    release();
    expect((await first).status).toBe(201);
    expect((await fetch("/apis/toys.example.com/v1/questions", { method: "POST", body: "{}" })).status).toBe(201);
  });

  test("administrators are served over the limit, and refusals are audited", async () => {
    const codes: (number | undefined)[] = [];
    const stuck = new Promise<never>(() => {});
    const actions = new Map([
      [
        "questions",
        {
          create: ({ body, context }: ActionRequest) =>
            context.user.name === admin.name ? Promise.resolve({ object: body, code: 201 }) : stuck,
        },
      ],
    ]);
    const { fetch, handler } = await open({
      actions,
      limits: { mutatingMax: 1 },
      audit: {
        begin: () => ({
          wantsRequest: false,
          wantsResponse: false,
          impersonates() {},
          annotate() {},
          refersTo() {},
          requestObject() {},
          responseObject() {},
          reach: (stage, answer) => void (stage === "ResponseComplete" && codes.push(answer?.code)),
        }),
      },
    });
    const path = "/apis/toys.example.com/v1/questions";
    const post = (by: typeof fetch) => by(path, { method: "POST", body: "{}" });
    const anyone = createMemoryFetch(handler);
    void post(anyone);
    expect((await post(anyone)).status).toBe(429);
    expect((await post(fetch)).status).toBe(201);
    expect(codes).toEqual([429, 201]);
  });

  test("the bytes of all bodies in progress are bounded together", async () => {
    const { fetch } = await open({ limits: { bodiesBytesMax: 10 } });
    const post = (body: string) => fetch(base, { method: "POST", body });
    expect((await post(`{"metadata":{"name":"x"}}`)).status).toBe(429);
    expect((await post("{}")).status).toBe(422);
  });

  test("a request that takes too long is answered 504, and a client may ask for less time", async () => {
    const clock = createManualClock(1_700_000_000_000);
    let begun = 0;
    const create = () => {
      begun++;
      return new Promise<never>(() => {});
    };
    const { fetch } = await open({ clock, actions: new Map([["questions", { create }]]) });
    const ask = (query: string) => fetch(`/apis/toys.example.com/v1/questions${query}`, { method: "POST", body: "{}" });
    const slow = ask("");
    const impatient = ask("?timeout=2s");
    const unlimited = [ask("?timeout=0s"), ask("?timeout=-1s")];
    // The clock is moved when all of them wait: one that begins later would count from then.
    await expect.poll(() => begun).toBe(4);
    clock.advance(3_000);
    expect((await impatient).status).toBe(504);
    clock.advance(60_000);
    expect((await slow).status).toBe(504);
    for (const one of unlimited) expect((await one).status).toBe(504);
    expect((await ask("?timeout=soon")).status).toBe(400);
  });

  test("a credential that no authenticator accepts is 401, for every path", async () => {
    const { handler } = await open({
      authenticator: {
        authenticate() {
          throw unauthorized();
        },
      },
    });
    const fetch = createMemoryFetch(handler);
    for (const path of ["/healthz", base, "/api/v1/namespaces/../pods", "/nope"]) {
      expect((await fetch(path)).status).toBe(401);
    }
  });

  test("without a credential a request is anonymous only where that is allowed", async () => {
    const { handler } = await open({ anonymous: false });
    expect((await createMemoryFetch(handler)("/version")).status).toBe(401);
  });

  test("a request that no authorizer allows is 403, and the message names it", async () => {
    const asked: string[] = [];
    const { fetch } = await open({
      authorizer: {
        name: "none",
        authorize: ({ verb, resource, subresource, namespace, name, path }) => {
          asked.push([verb, resource, subresource, namespace, name, path].join(" "));
          return { outcome: "none", reason: "" };
        },
      },
    });
    const [code, body] = await ask(fetch, "GET", `${base}/x/status`);
    expect([code, (body as { details: unknown }).details]).toEqual([
      403,
      { name: "x", group: "toys.example.com", kind: "gadgets" },
    ]);
    expect((await ask(fetch, "GET", "/nope"))[1]).toMatchObject({ reason: "Forbidden", details: {} });
    expect(asked).toEqual([`get gadgets status a x ${base}/x/status`, "get     /nope"]);
  });

  test("every request is audited once at each stage, also one that is refused", async () => {
    const heard: string[] = [];
    const { fetch } = await open({
      audit: {
        begin: ({ target: { verb, path } }) => ({
          wantsRequest: false,
          wantsResponse: false,
          impersonates() {},
          annotate() {},
          refersTo() {},
          requestObject() {},
          responseObject() {},
          reach: (stage, answer) => void heard.push(`${stage} ${verb} ${path} ${answer?.code ?? ""}`.trim()),
        }),
      },
    });
    await fetch(base);
    await fetch("/nope");
    expect(heard).toEqual([
      `RequestReceived list ${base}`,
      `ResponseComplete list ${base} 200`,
      "RequestReceived get /nope",
      "ResponseComplete get /nope 404",
    ]);
  });

  test("a request records its authenticator and the id of its credential, never the credential itself (A04 in docs/security-rows.md)", async () => {
    const heard: unknown[] = [];
    const user = { name: "jane", uid: "", groups: [], extra: new Map() };
    const { handler } = await open({
      authenticator: {
        authenticate: (credentials) =>
          credentials.header("authorization") === undefined
            ? undefined
            : { user, by: "serviceaccount", credentialId: "token 0123456789abcdef" },
      },
      routes: [
        {
          path: "/who",
          handle(exchange, { authenticatedBy, credentialId, authenticatedUser }) {
            heard.push([authenticatedBy, credentialId, authenticatedUser.name]);
            exchange.send(200, {});
          },
        },
      ],
    });
    const fetch = createMemoryFetch(handler);
    await fetch("/who", { headers: { authorization: "Bearer secret" } });
    await fetch("/who");
    expect(heard).toEqual([
      ["serviceaccount", "token 0123456789abcdef", "jane"],
      ["anonymous", "", "system:anonymous"],
    ]);
  });

  test("audit events name the authenticator and the id of the credential if configured, never the credential itself (A04 in docs/security-rows.md)", async () => {
    const user = { name: "jane", uid: "", groups: [], extra: new Map() };
    const noted: Record<string, string>[] = [];
    const remarks = { warning: "the token is old", annotations: { "authentication.orch.io/old": "key" } };
    const audit = (namesCredentials: boolean): Audit => ({
      namesCredentials,
      begin() {
        const annotations: Record<string, string> = {};
        noted.push(annotations);
        return {
          wantsRequest: false,
          wantsResponse: false,
          impersonates() {},
          annotate(key, value) {
            if (key.startsWith("authentication.")) annotations[key] = value;
          },
          refersTo() {},
          requestObject() {},
          responseObject() {},
          reach() {},
        };
      },
    });
    for (const namesCredentials of [true, false]) {
      const { handler } = await open({
        audit: audit(namesCredentials),
        authenticator: { authenticate: () => ({ user, by: "x509", credentialId: "X509 serial 0a1b", remarks }) },
      });
      const answer = await createMemoryFetch(handler)("/version", { headers: { authorization: "Bearer secret" } });
      expect(answer.headers.get("warning")).toBe('299 - "the token is old"');
    }
    expect(noted).toEqual([
      {
        "authentication.orch.io/authenticator": "x509",
        "authentication.orch.io/credential-id": "X509 serial 0a1b",
        ...remarks.annotations,
      },
      remarks.annotations,
    ]);
  });

  test("watches can be ended while the server keeps running (A11 in docs/security-rows.md)", async () => {
    const { fetch, lifecycle } = await open();
    const watching = await fetch(`${base}?watch=1`);
    lifecycle.endWatches();
    expect(await watching.text()).toBe("");
    expect((await ask(fetch, "GET", base))[0]).toBe(200);
  });

  test("metrics count requests under labels that clients cannot make up", async () => {
    const { fetch } = await open();
    for (let i = 0; i < 50; i++) {
      await fetch(`/api/v1/made-up-${i}`);
      await fetch(`/apis/group-${i}.example.com/v1/things`, { method: `M${i}` });
    }
    await fetch(base);
    const text = await (await fetch("/metrics")).text();
    expect(text).not.toContain("made-up");
    expect(text).not.toContain("group-");
    expect(text).toContain(
      'apiserver_request_total{verb="LIST",dry_run="",group="toys.example.com",version="v1",resource="gadgets"',
    );
    expect(text.split("\n").filter((line) => line.startsWith("apiserver_request_total{")).length).toBeLessThan(10);
  });
});

describe("health", () => {
  test("shows one word to machines and all lines to people", async () => {
    let broken = false;
    const { fetch, lifecycle } = await open({
      healthChecks: [
        { name: "ping", on: ["healthz", "livez", "readyz"], check() {} },
        {
          name: "kvstore",
          on: ["healthz", "livez", "readyz"],
          check() {
            if (broken) throw new Error("disk on fire");
          },
        },
        {
          name: "late",
          on: ["readyz"],
          check: () => (lifecycle.draining ? Promise.reject(new Error("leaving")) : undefined),
        },
      ],
    });
    const get = async (path: string) => {
      const response = await fetch(path);
      return [response.status, await response.text()];
    };
    expect(await get("/healthz")).toEqual([200, "ok"]);
    expect(await get("/livez?verbose")).toEqual([200, "[+]ping ok\n[+]kvstore ok\nhealthz check passed\n"]);
    expect(await get("/livez?verbose&exclude=kvstore&exclude=nope")).toEqual([
      200,
      '[+]ping ok\n[+]kvstore excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nhealthz check passed\n',
    ]);
    expect(await get("/livez/ping")).toEqual([200, "ok"]);
    expect((await get("/livez/nope"))[0]).toBe(404);
    expect((await get("/livez/"))[0]).toBe(404);
    broken = true;
    expect(await get("/healthz")).toEqual([
      500,
      "[+]ping ok\n[-]kvstore failed: reason withheld\nhealthz check failed\n",
    ]);
    expect(await get("/healthz?exclude=kvstore")).toEqual([200, "ok"]);
    expect((await get("/healthz/kvstore"))[0]).toBe(500);
    expect(await get("/readyz?exclude=kvstore")).toEqual([200, "ok"]);
    lifecycle.drain();
    expect((await get("/readyz?exclude=kvstore"))[0]).toBe(500);
    expect((await get("/livez?exclude=kvstore"))[0]).toBe(200);
  });

  test("during the grace period livez ignores checks that have not passed yet", async () => {
    const clock = createManualClock(1_700_000_000_000);
    const check = () => Promise.reject(new Error("still starting"));
    const { fetch } = await open({
      clock,
      livezGraceMs: 5_000,
      healthChecks: [{ name: "hook", on: ["livez", "readyz"], graceful: true, check }],
    });
    expect([(await fetch("/livez")).status, (await fetch("/readyz")).status]).toEqual([200, 500]);
    clock.advance(5_001);
    expect((await fetch("/livez")).status).toBe(500);
  });
});

describe("discovery", () => {
  test("lists groups, versions and resources", async () => {
    const { fetch } = await open();
    const get = async (path: string) => (await ask(fetch, "GET", path))[1];
    expect(await get("/api")).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    const listed = {
      name: "toys.example.com",
      versions: [
        { groupVersion: "toys.example.com/v1", version: "v1" },
        { groupVersion: "toys.example.com/v1beta1", version: "v1beta1" },
      ],
      preferredVersion: { groupVersion: "toys.example.com/v1", version: "v1" },
    };
    expect(await get("/apis")).toEqual({ kind: "APIGroupList", apiVersion: "v1", groups: [listed] });
    expect(await get("/apis/toys.example.com/")).toEqual({ kind: "APIGroup", apiVersion: "v1", ...listed });
    const { resources } = (await get("/apis/toys.example.com/v1")) as { resources: { name: string }[] };
    expect(resources.map(({ name }) => name)).toEqual(["gadgets", "gadgets/status", "questions", "shelves"]);
    expect(resources[0]).toMatchObject({
      singularName: "",
      namespaced: true,
      kind: "Gadget",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["gd"],
      categories: ["all"],
    });
    expect(resources[1]).toEqual({
      name: "gadgets/status",
      singularName: "",
      namespaced: true,
      kind: "Gadget",
      verbs: ["get", "patch", "update"],
    });
    expect(await get("/version")).toMatchObject({ major: "1", minor: "21" });
    expect((await ask(fetch, "GET", "/apis/toys.example.com/v7"))[0]).toBe(404);
  });

  test("is available as YAML and protobuf, but not as a Table", async () => {
    const { fetch } = await open();
    const get = async (accept: string) => (await fetch("/apis/toys.example.com/v1", { headers: { accept } })).status;
    expect(await get("application/yaml")).toBe(200);
    expect(await get("application/vnd.orch.protobuf")).toBe(200);
    expect(await get("application/json;as=Table;g=meta.orch.io;v=v1")).toBe(406);
  });
});
