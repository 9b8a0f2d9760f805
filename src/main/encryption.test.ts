import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags/parse.ts";
import { type Log, silentLog } from "../base/log.ts";
import { startTestKms } from "../encryption/kms-server.fixture.ts";
import { createMemoryFetch } from "../http/transport/memory-exchange.ts";
import { findEtcd, startTestEtcd, type TestEtcd } from "../kv/etcd/server.fixture.ts";
import { reencryptPath } from "./backup/reencrypt-route.ts";
import { openFolderSource, openRemoteSource, remoteTarget } from "./backup/source.ts";
import { reencrypt } from "./commands/reencrypt.ts";
import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { reencryptFlags } from "./flags/backup-flags.ts";
import { createServer } from "./library.ts";
import { openApiServer } from "./programs/apiserver.ts";

const keys = { one: "b25lIG9uZSBvbmUgb25lIQ==", two: "dHdvIHR3byB0d28gdHdvIQ==" };
const aescbc = (...names: (keyof typeof keys)[]) =>
  `{aescbc: {keys: [${names.map((name) => `{name: ${name}, secret: "${keys[name]}"}`).join(", ")}]}}`;
const aesgcm = (name: keyof typeof keys) => `{aesgcm: {keys: [{name: ${name}, secret: "${keys[name]}"}]}}`;
const identity = "{identity: {}}";

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-encryption-"));
  file = join(folder, "encryption.yaml");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function configure(...providers: string[]): Promise<void> {
  const text = `{apiVersion: apiserver.config.orch.io/v1, kind: EncryptionConfiguration,
    resources: [{resources: [secrets], providers: [${providers.join(", ")}]}]}`;
  await writeFile(file, text, { mode: 0o600 });
}

const user = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };

interface Answer {
  readonly code: number;
  readonly text: string;
}

async function open(store: readonly string[], options: { readonly config?: string; readonly log?: Log } = {}) {
  const { values } = parseFlags(apiserverFlags, [
    ...store,
    ...["--secure-port=0", "--bind-address=127.0.0.1", `--cert-dir=${folder}`],
    ...(options.config === "" ? [] : [`--encryption-provider-config=${options.config ?? file}`]),
  ]);
  const opened = await openApiServer({ flags: values, clock: systemClock, log: options.log ?? silentLog });
  const fetch = createMemoryFetch(opened.server.handler, { user });
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const sent = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(path, { method, ...sent });
    return { code: response.status, text: await response.text() };
  };
  const secret = (name: string) => `/api/v1/namespaces/default/secrets/${name}`;
  const make = (name: string, namespace = "default") =>
    call("POST", `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name },
      stringData: { password: "hunter2" },
    });
  return { ...opened, call, secret, make };
}

const stores: { name: string; flags: () => string[]; raw: (key: string) => Promise<string> }[] = [
  {
    name: "the embedded store",
    flags: () => [`--data-dir=${join(folder, "data")}`],
    raw: (key) => rawValue(openFolderSource(join(folder, "data")), key),
  },
];
const program = findEtcd();
let etcd: TestEtcd | undefined;
beforeAll(async () => {
  if (program !== undefined) etcd = await startTestEtcd(program);
});
afterAll(() => etcd?.remove());
if (program !== undefined) {
  let prefix = 0;
  beforeEach(() => {
    prefix += 1;
  });
  const flags = () => [`--kvstore-servers=${etcd?.endpoint}`, `--kvstore-prefix=/test${prefix}`];
  const source = async () => openRemoteSource((await remoteTarget(parseFlags(reencryptFlags, flags()).values))!);
  stores.push({ name: "etcd", flags, raw: (key) => rawValue(source(), key) });
}

async function rawValue(source: ReturnType<typeof openFolderSource>, key: string): Promise<string> {
  const { kv } = await source;
  try {
    return Buffer.from((await kv.get(key))?.value ?? []).toString("latin1");
  } finally {
    await kv.close();
  }
}

for (const { name, flags, raw } of stores) {
  describe(`encryption at rest in ${name}`, () => {
    const secretKey = "/core/secrets/default/a";

    test("a Secret is encrypted in the store and plain for clients; other kinds are not encrypted", async () => {
      await configure(aescbc("one"), identity);
      const server = await open(flags());
      expect((await server.make("a")).code).toBe(201);
      await server.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
      expect((await server.call("GET", server.secret("a"))).text).toContain("aHVudGVyMg==");
      const backup = await server.call("GET", "/backup");
      expect(backup.text).toContain("orch:enc:aescbc:v1:one:");
      expect(backup.text).not.toContain("aHVudGVyMg==");
      await server.stop();
      const stored = await raw(secretKey);
      expect(stored).toMatch(/^orch:enc:aescbc:v1:one:/);
      expect(stored).not.toContain("aHVudGVyMg==");
      expect(await raw("/core/configmaps/default/a")).toMatch(/^\{"apiVersion":"v1","kind":"ConfigMap"/);
      const again = await open(flags());
      expect((await again.call("GET", again.secret("a"))).text).toContain("aHVudGVyMg==");
      await again.stop();
    });

    test("a key is rotated over two restarts, and the old one is not needed afterwards", async () => {
      await configure(aescbc("one"));
      const first = await open(flags());
      await first.make("a");
      await first.stop();
      await configure(aescbc("two", "one"));
      const second = await open(flags());
      expect((await second.call("GET", second.secret("a"))).code).toBe(200);
      await second.make("b");
      await second.stop();
      expect(await raw(secretKey)).toMatch(/^orch:enc:aescbc:v1:one:/);
      expect(await raw("/core/secrets/default/b")).toMatch(/^orch:enc:aescbc:v1:two:/);

      const command = [...flags(), `--encryption-provider-config=${file}`];
      const outcome = await reencrypt(parseFlags(reencryptFlags, command).values);
      expect(outcome).toMatchObject({ rewritten: 1, discarded: 0, failed: [] });
      expect(await raw(secretKey)).toMatch(/^orch:enc:aescbc:v1:two:/);
      expect(await reencrypt(parseFlags(reencryptFlags, command).values)).toMatchObject({ rewritten: 0, failed: [] });
      await configure(aescbc("two"));
      const third = await open(flags());
      for (const secret of ["a", "b"]) {
        expect((await third.call("GET", third.secret(secret))).text).toContain("aHVudGVyMg==");
      }
      await third.stop();
    });

    test("a rotation reaches workspaces, and what they begin with", async () => {
      const withWorkspaces = [...flags(), "--workspaces", "--history=1h"];
      const all = "/apis/tenancy.orch.io/v1alpha1";
      const inside = "/clusters/shop/api/v1/namespaces/default/secrets";
      await configure(aescbc("one"));
      const first = await open(withWorkspaces);
      const given = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "given", namespace: "default" },
        stringData: { password: "hunter2" },
      };
      await first.call("POST", `${all}/workspacetypes`, { metadata: { name: "team" }, spec: { objects: [given] } });
      await first.call("POST", `${all}/workspaces`, { metadata: { name: "shop" }, spec: { type: "team" } });
      await expect.poll(async () => (await first.call("GET", inside)).code).toBe(200);
      const own = { metadata: { name: "own" }, stringData: { password: "hunter2" } };
      const made = await first.call("POST", inside, own);
      expect(made.code).toBe(201);
      const { metadata } = JSON.parse(made.text) as { metadata: { resourceVersion: string } };
      const past = `${inside}/own?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
      const changed = { metadata: { name: "own" }, stringData: { password: "hunter2", more: "x" } };
      expect((await first.call("PUT", `${inside}/own`, changed)).code).toBe(200);
      // What is removed of the beginning is marked, and has nothing to encrypt.
      await first.call("DELETE", "/clusters/shop/apis/rbac.authorization.orch.io/v1/clusterroles/view");
      await first.stop();
      await configure(aescbc("two", "one"));
      const command = [...flags(), `--encryption-provider-config=${file}`];
      const rotate = () => reencrypt(parseFlags(reencryptFlags, command).values);
      expect(await rotate()).toMatchObject({ rewritten: 2, failed: [] });
      expect(await rotate()).toMatchObject({ rewritten: 0, failed: [] });
      await configure(aescbc("two"));
      const second = await open(withWorkspaces);
      for (const name of ["own", "given"])
        expect((await second.call("GET", `${inside}/${name}`)).text).toContain("aHVudGVyMg==");
      // etcd keeps what it had in the old key, so its history begins again.
      expect((await second.call("GET", past)).code).toBe(name === "etcd" ? 410 : 200);
      await second.stop();
    });

    test.each(["by a server that runs", "while none runs"])(
      "a rotation leaves nothing of the old key in the history, %s",
      async (how) => {
        const kept = [...flags(), "--history=1h"];
        await configure(aescbc("one"));
        const first = await open(kept);
        const created = JSON.parse((await first.make("a")).text) as { metadata: { resourceVersion: string } };
        const past = `?resourceVersion=${created.metadata.resourceVersion}&resourceVersionMatch=Exact`;
        // Its newest state needs no rewrite, but the ones before were encrypted with the old key.
        const patch = (server: typeof first, text: string) =>
          server.call("PUT", server.secret("a"), { metadata: { name: "a" }, stringData: { password: text } });
        await patch(first, "again");
        await first.stop();
        await configure(aescbc("two", "one"));
        const second = await open(kept);
        await patch(second, "with two");
        expect((await second.call("GET", `${second.secret("a")}${past}`)).text).toContain("aHVudGVyMg==");
        const list = "/apis/history.orch.io/v1alpha1/namespaces/default/changes?fieldSelector=object.name%3Da";
        const changes = async (server: typeof first) =>
          (JSON.parse((await server.call("GET", list)).text) as { items: readonly { operation: string }[] }).items;
        expect((await changes(second)).map(({ operation }) => operation)).toEqual(["update", "update", "create"]);
        if (how === "by a server that runs") expect((await second.call("POST", reencryptPath)).code).toBe(200);
        else {
          await second.stop();
          await reencrypt(parseFlags(reencryptFlags, [...flags(), `--encryption-provider-config=${file}`]).values);
        }
        const third = how === "by a server that runs" ? second : await open(kept);
        // etcd keeps its past as it was written.
        const goesOn = name !== "etcd";
        expect(await changes(third)).toHaveLength(goesOn ? 3 : 0);
        if (!goesOn) expect((await third.call("GET", `${third.secret("a")}${past}`)).code).toBe(410);
        await patch(third, "the first after it");
        expect((await changes(third))[0]).toMatchObject({ operation: "update" });
        await third.stop();
        await configure(aescbc("two"));
        const fourth = await open(kept);
        const found = await changes(fourth);
        expect(found).toHaveLength(goesOn ? 4 : 1);
        for (const change of found) expect(change).not.toHaveProperty("unreadable");
        if (goesOn) expect((await fourth.call("GET", `${fourth.secret("a")}${past}`)).text).toContain("aHVudGVyMg==");
        await fourth.stop();
      },
    );

    test("with a wrong key requests for the object fail, others work, and nothing is lost", async () => {
      await configure(aesgcm("one"), identity);
      const before = await open(flags());
      await before.make("a");
      await before.stop();
      await configure(aesgcm("two"), identity);
      const server = await open(flags());
      const refused = await server.call("GET", server.secret("a"));
      expect(refused).toMatchObject({ code: 500 });
      expect(refused.text).toMatch(
        /secrets \\"default\/a\\" cannot be read: it is encrypted with orch:enc:aesgcm:v1:one:/,
      );
      expect((await server.make("b")).code).toBe(201);
      expect((await server.call("GET", server.secret("b"))).code).toBe(200);
      expect((await server.make("a")).code).toBe(409);
      const object = { metadata: { name: "a" }, stringData: { password: "other" } };
      expect((await server.call("PUT", server.secret("a"), object)).code).toBe(500);
      expect((await server.call("DELETE", server.secret("a"))).code).toBe(500);
      expect((await server.call("DELETE", "/api/v1/namespaces/default/secrets")).code).toBe(500);
      expect((await server.call("GET", "/api/v1/namespaces/default/secrets")).code).toBe(500);
      expect((await server.call("GET", "/api/v1/secrets")).code).toBe(500);
      expect((await server.call("GET", "/api/v1/namespaces/default/secrets?watch=true&resourceVersion=1")).code).toBe(
        500,
      );
      expect((await server.call("GET", "/api/v1/namespaces/orch-system/secrets")).code).toBe(200);
      expect(
        (await server.call("GET", "/api/v1/secrets?fieldSelector=metadata.name%3Db,metadata.namespace%3Ddefault")).code,
      ).toBe(200);
      expect((await server.call("GET", "/api/v1/namespaces/default/configmaps")).code).toBe(200);
      for (const [path, code] of [
        ["/healthz", 500],
        ["/readyz", 500],
        ["/livez", 200],
        ["/readyz?exclude=encryption", 200],
      ] as const) {
        expect([path, (await server.call("GET", path)).code]).toEqual([path, code]);
      }
      expect((await server.call("GET", "/metrics")).text).toContain("apiserver_storage_unreadable_objects 1\n");

      // The file gets the missing key while the server runs.
      await configure(aesgcm("two"), aesgcm("one"), identity);
      await server.reload();
      await expect.poll(async () => (await server.call("GET", server.secret("a"))).text).toContain("aHVudGVyMg==");
      expect((await server.call("GET", "/api/v1/secrets")).code).toBe(200);
      expect((await server.call("GET", "/readyz")).code).toBe(200);
      await server.stop();
    });

    test("an object encrypted with another key is rewritten by the next update, even one that changes nothing", async () => {
      await configure(identity);
      const plain = await open(flags());
      await plain.make("a");
      await plain.stop();
      await configure(aescbc("one"), identity);
      const server = await open(flags());
      const { text } = await server.call("GET", server.secret("a"));
      const object = JSON.parse(text) as { metadata: { resourceVersion: string } };
      const rewritten = JSON.parse((await server.call("PUT", server.secret("a"), object)).text) as typeof object;
      expect(rewritten.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
      const same = JSON.parse((await server.call("PUT", server.secret("a"), rewritten)).text) as typeof object;
      expect(same.metadata.resourceVersion).toBe(rewritten.metadata.resourceVersion);
      await server.stop();
      expect(await raw(secretKey)).toMatch(/^orch:enc:aescbc:v1:one:/);
    });

    test("a running server rewrites its own store", async () => {
      await configure(aescbc("one"));
      const server = await open(flags());
      for (const secret of ["a", "b"]) await server.make(secret);
      await configure(aescbc("two", "one"));
      await server.reload();
      const lines = (await server.call("POST", "/reencrypt")).text.trimEnd().split("\n");
      const last: unknown = JSON.parse(lines.at(-1) ?? "");
      expect(last).toMatchObject({ rewritten: 2, failed: [], complete: true });
      expect((await server.call("GET", "/reencrypt")).code).toBe(405);
      expect((await server.call("GET", server.secret("a"))).text).toContain("aHVudGVyMg==");
      await server.stop();
      expect(await raw(secretKey)).toMatch(/^orch:enc:aescbc:v1:two:/);
    });

    test("only an object whose key is lost can be discarded by name", async () => {
      await configure(aescbc("one"));
      const before = await open(flags());
      await before.make("a");
      await before.make("b");
      await before.stop();
      await configure(aesgcm("two"));
      const command = [...flags(), `--encryption-provider-config=${file}`];
      const failed = await reencrypt(parseFlags(reencryptFlags, command).values);
      expect(failed.failed.map(({ key }) => key)).toContain(secretKey);
      await reencrypt(parseFlags(reencryptFlags, [...command, `--discard=${secretKey}`]).values);
      expect(await raw(secretKey)).toBe("");
      await configure(aescbc("one"));
      const again = await reencrypt(
        parseFlags(reencryptFlags, [...command, "--discard=/core/secrets/default/b"]).values,
      );
      expect(again).toMatchObject({ discarded: 0, failed: [] });
      expect(await raw("/core/secrets/default/b")).toMatch(/^orch:enc:aescbc:v1:one:/);
    });
  });
}

test("reencrypt of a server that encrypts nothing says what it needs", async () => {
  const server = await createServer({ controllers: false });
  try {
    const config = join(folder, "admin.conf");
    await writeFile(config, (await server.clientConfig()).text, { mode: 0o600 });
    await expect(reencrypt(parseFlags(reencryptFlags, [`--config=${config}`]).values)).rejects.toThrow(
      /encrypts nothing: start it with --encryption-provider-config$/,
    );
  } finally {
    await server.close();
  }
});

test("a server without keys refuses encrypted objects instead of hiding them", async () => {
  await configure(aescbc("one"));
  const store = [`--data-dir=${join(folder, "data")}`];
  const before = await open(store);
  await before.make("a");
  await before.stop();
  const server = await open(store, { config: "" });
  expect((await server.call("GET", server.secret("a"))).code).toBe(500);
  expect((await server.call("GET", "/healthz")).code).toBe(500);
  await server.stop();
});

test("a KMS plugin that is down at the start makes its objects unreadable until it is back", async () => {
  const kms = await startTestKms();
  await configure(`{kms: {name: vault, endpoint: "${kms.endpoint}", timeout: 300ms}}`);
  const store = [`--data-dir=${join(folder, "data")}`];
  const before = await open(store);
  for (const name of ["a", "b", "c"]) expect((await before.make(name)).code).toBe(201);
  expect((await before.call("GET", "/healthz")).code).toBe(200);
  await before.stop();
  kms.stop();
  const server = await open(store);
  expect((await server.call("GET", server.secret("a"))).text).toContain("KMS provider vault");
  expect((await server.call("GET", "/healthz/kms-provider-0")).code).toBe(500);
  expect((await server.make("d")).code).toBe(500);
  await kms.start();
  await expect.poll(async () => (await server.call("GET", server.secret("a"))).code).toBe(200);
  expect((await server.call("GET", "/api/v1/namespaces/default/secrets")).code).toBe(200);
  await server.stop();
  kms.remove();
});

test("a KMS plugin that a changed file adds has its health check at once", async () => {
  const kms = await startTestKms();
  await configure(aescbc("one"));
  const server = await open(["--store=memory"]);
  expect((await server.call("GET", "/healthz/kms-provider-0")).code).toBe(404);
  await configure(`{kms: {name: vault, endpoint: "${kms.endpoint}", timeout: 300ms}}`, aescbc("one"));
  await server.reload();
  expect((await server.call("GET", "/healthz/kms-provider-0")).code).toBe(200);
  expect((await server.call("GET", "/readyz?verbose")).text).toContain("[+]kms-provider-0 ok");
  await configure(aescbc("one"));
  await server.reload();
  expect((await server.call("GET", "/healthz/kms-provider-0")).code).toBe(404);
  await server.stop();
  kms.remove();
});

describe("a start is refused in one sentence", () => {
  const cases = [
    {
      why: "there is no file",
      text: undefined,
      says: /^--encryption-provider-config: cannot read .*: there is no such file$/,
    },
    { why: "it is empty", text: "", says: /encryption.yaml: the file is empty$/ },
    {
      why: "a key is too short",
      text: aescbc("one").replace(keys.one, "aHVudGVyMg=="),
      says: /got 7, expected one of \[16 24 32\]$/,
    },
  ];
  for (const { why, text, says } of cases) {
    test(why, async () => {
      if (text?.startsWith("{")) await configure(text);
      else if (text !== undefined) await writeFile(file, text);
      await expect(open(["--store=memory"])).rejects.toThrow(says);
      await expect(open(["--store=memory"])).rejects.not.toThrow(/aHVudGVyMg|hunter2/);
    });
  }
});

test("a file that others can read, and an unknown resource name, get a warning; keys are never logged", async () => {
  await configure(aescbc("one"));
  await chmod(file, 0o644);
  const lines: string[] = [];
  const note = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { ...silentLog, warn: note, info: note, error: note, debug: note };
  const server = await open(["--store=memory"], { log });
  expect(lines.join("\n")).toContain("change its mode to 0600");
  await writeFile(
    file,
    `{apiVersion: v1, kind: EncryptionConfig, resources: [{resources: [secret], providers: [${aescbc("two")}]}]}`,
  );
  await server.reload();
  expect(lines.join("\n")).toContain('"resource":"secret"');
  for (const secret of Object.values(keys)) expect(lines.join("\n")).not.toContain(secret);
  await server.stop();
});
