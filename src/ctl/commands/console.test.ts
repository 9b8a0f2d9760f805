import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAs } from "../console/checks.ts";
import { bodyBytesMax } from "../console/gateway.ts";
import { openSession, type RunOptions, type Session } from "../session.suite.ts";

let session: Session;
let consoleFolder: string;
const stop = new AbortController();
const running: Promise<unknown>[] = [];

beforeAll(async () => {
  session = await openSession("ctl", { journal: true });
  consoleFolder = join(session.folder, "page");
  mkdirSync(consoleFolder);
  writeFileSync(join(consoleFolder, "icon.svg"), "<svg/>");
  writeFileSync(join(consoleFolder, "index.html"), "<title>page</title>");
  writeFileSync(join(consoleFolder, "app.js"), "code");
  writeFileSync(join(consoleFolder, "app.css"), "style");
});
afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  await session[Symbol.asyncDispose]();
});

interface Opened {
  readonly port: number;
  readonly secret: string;
}

function open(line: string, signal = stop.signal, more: RunOptions = {}): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const onOut = (out: string) => {
      const [, port, secret] = /^http:\/\/127\.0\.0\.1:(\d+)\/#secret=([\w-]{32})\n$/.exec(out) ?? [];
      if (secret !== undefined) resolve({ port: Number(port), secret });
    };
    const ended = session.run(line, { ...more, consoleFolder, onOut, signal });
    running.push(ended.then(({ code, err }) => code !== 0 && reject(new Error(err))));
  });
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Unlike `fetch`, this sends any Host and any path. */
function send({ port }: Opened, path: string, { method = "GET", headers = {}, body = "" }: Sent = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const call = request({ host: "127.0.0.1", port, path, method, headers: { ...length, ...headers } }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      text(answer).then((body) => resolve({ status, headers, body }), reject);
    });
    call.on("error", reject);
    call.end(body);
  });
}

const withSecret = ({ secret }: Opened, more: Record<string, string> = {}) => ({ "x-console-secret": secret, ...more });

describe("a console that may change things", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open("console");
  });

  test("serves its page without the secret, under a policy that allows no script but its own", async () => {
    const page = await send(opened, "/");
    expect(page).toMatchObject({ status: 200, body: "<title>page</title>" });
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect((await send(opened, "/app.js")).headers["content-type"]).toContain("text/javascript");
    expect(page.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("forwards nothing without the secret of its link", async () => {
    const path = "/server/api/v1/namespaces/default";
    expect((await send(opened, path)).status).toBe(401);
    expect((await send(opened, path, { headers: { "x-console-secret": "x".repeat(32) } })).status).toBe(401);
    expect((await send(opened, "/console.json")).status).toBe(401);
    const answer = await send(opened, path, { headers: withSecret(opened) });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ kind: "Namespace" });
  });

  test("refuses a Host that is not its own, as a name that leads to the loopback address has", async () => {
    for (const host of ["evil.example", `evil.example:${opened.port}`, "127.0.0.1", "127.0.0.1:1"])
      for (const path of ["/", "/server/version"])
        expect((await send(opened, path, { headers: withSecret(opened, { host }) })).status).toBe(403);
    const host = `localhost:${opened.port}`;
    expect((await send(opened, "/server/version", { headers: withSecret(opened, { host }) })).status).toBe(200);
  });

  test("refuses pages of another origin or site, and answers no preflight", async () => {
    const own = `http://127.0.0.1:${opened.port}`;
    const status = async (headers: Record<string, string>) =>
      (await send(opened, "/server/version", { headers: withSecret(opened, headers) })).status;
    expect(await status({ origin: own, "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await status({ origin: "http://evil.example" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
    expect(await status({ origin: "http://127.0.0.1:1" })).toBe(403);
    expect(await status({ "sec-fetch-site": "same-site" })).toBe(403);
    const headers = { origin: "http://evil.example", "access-control-request-method": "GET" };
    const preflight = await send(opened, "/server/version", { method: "OPTIONS", headers });
    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("writes as the user, and keeps credentials and identities of the page to itself", async () => {
    const path = "/server/api/v1/namespaces/default/configmaps";
    const body = JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "one" } });
    const headers = withSecret(opened, { "content-type": "application/json", "impersonate-user": "nobody" });
    expect((await send(opened, path, { method: "POST", headers, body })).status).toBe(201);
  });

  test("tries reads as another user, and nothing else", async () => {
    const path = "/server/api/v1/namespaces/default/configmaps";
    const as = (user: string, method = "GET") =>
      send(opened, path, { method, headers: withSecret(opened, { "x-console-as": user }) });
    expect((await as("jane")).status).toBe(200);
    expect(session.server.journal.requests({ user: "jane" }).map(({ verb }) => verb)).toEqual(["list"]);
    expect((await as("jane", "POST")).status).toBe(403);
    expect((await as("two names")).status).toBe(400);
    const ofOther = readAs({ "x-console-as": "jane" }, "GET", { mayTryAs: false });
    expect(ofOther).toMatchObject({ status: 403, message: expect.stringContaining("--as") });
  });

  test.each([
    "/server/api/v1/namespaces/default/pods/a/exec?command=ls",
    "/server/api/v1/namespaces/default/pods/a/%65xec",
    "/server/api/v1/namespaces/default/services/a/proxy/admin",
    "/server/api/v1/nodes/a/proxy/",
    "/server/api/v1/proxy/nodes/a",
  ])("opens no connection by %s", async (path) => {
    expect((await send(opened, path, { headers: withSecret(opened) })).status).toBe(403);
  });

  test.each(["/server//api", "/server/api/../apis", "/server/api/%2e%2e/apis", "/server/a%2fb", "/server/%ff"])(
    "forwards no path that two programs could read differently: %s",
    async (path) => {
      expect((await send(opened, path, { headers: withSecret(opened) })).status).toBe(400);
    },
  );

  test("reads a body up to its limit", async () => {
    const path = "/server/api/v1/namespaces/default/configmaps";
    const headers = withSecret(opened, { "content-type": "application/json" });
    const sent = send(opened, path, { method: "POST", headers, body: "x".repeat(bodyBytesMax + 1) });
    // The rest of the body may meet a closed connection.
    expect(await sent.then(({ status }) => status).catch(({ code }) => code)).toBeOneOf([413, "EPIPE", "ECONNRESET"]);
  });
});

describe("a read-only console", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open("console --read-only");
  });

  test("reads, and says in its facts that it only does that", async () => {
    const facts = await send(opened, "/console.json", { headers: withSecret(opened) });
    expect(JSON.parse(facts.body)).toMatchObject({ isReadOnly: true, namespace: "default" });
    expect((await send(opened, "/server/api/v1/namespaces", { headers: withSecret(opened) })).status).toBe(200);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("refuses %s, with a dry run as well", async (method) => {
    const headers = withSecret(opened, { "content-type": "application/json" });
    for (const query of ["", "?dryRun=All"]) {
      const path = `/server/api/v1/namespaces/default/configmaps/one${query}`;
      const answer = await send(opened, path, { method, headers, body: "{}" });
      expect(answer.status).toBe(403);
      expect(answer.body).toContain("--read-only");
    }
  });

  test("asks what the user may do, which writes nothing", async () => {
    const path = "/server/apis/authorization.orch.io/v1/selfsubjectaccessreviews";
    const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
    const body = JSON.stringify({ kind: "SelfSubjectAccessReview", apiVersion: "authorization.orch.io/v1", spec });
    const headers = withSecret(opened, { "content-type": "application/json" });
    expect((await send(opened, path, { method: "POST", headers, body })).status).toBe(201);
    const other = "/server/apis/example.org/v1/selfsubjectaccessreviews";
    expect((await send(opened, other, { method: "POST", headers, body })).status).toBe(403);
  });
});

test("the console ends with the command, although a watch is open", async () => {
  const interrupted = new AbortController();
  const opened = await open("console", interrupted.signal);
  const path = "/server/api/v1/namespaces?watch=1";
  const watching = send(opened, path, { headers: withSecret(opened) }).catch((error: Error) => error);
  await new Promise((resolve) => setTimeout(resolve, 50));
  interrupted.abort();
  await running.at(-1);
  await watching;
  await expect(send(opened, "/")).rejects.toThrow("ECONNREFUSED");
});

test("without a built page the command says how to get one", async () => {
  const { code, err } = await session.run("console", { consoleFolder: join(session.folder, "absent") });
  expect(code).toBe(1);
  expect(err).toContain("npm run build");
});

test("a console of a workspace, which is a server at a path of another one, shows the workspace alone", async () => {
  await using tenants = await openSession("ctl", { workspaces: true });
  const shop = await tenants.server.workspace("shop");
  const body = JSON.stringify({ metadata: { name: "only-here" } });
  await shop.fetch("/api/v1/namespaces", { method: "POST", headers: { "content-type": "application/json" }, body });
  const { text } = await shop.clientConfig();
  const env = { KUBECONFIG: tenants.file("shop.yaml", text) };
  const ended = new AbortController();
  const opened = await open("console", ended.signal, { isConfigured: true, env });
  const names = await send(opened, "/server/api/v1/namespaces", { headers: withSecret(opened) });
  expect(JSON.parse(names.body).items.map((one: { metadata: { name: string } }) => one.metadata.name)).toContain(
    "only-here",
  );
  const facts = JSON.parse((await send(opened, "/console.json", { headers: withSecret(opened) })).body);
  expect(facts.server).toMatch(/\/clusters\/shop$/);
  const atRoot = await tenants.server.fetch("/api/v1/namespaces/only-here");
  expect(atRoot.status).toBe(404);
  ended.abort();
});
