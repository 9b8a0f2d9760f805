import { afterEach, describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../base/clock.ts";
import { type Log, silentLog } from "../base/log.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { Unreadable } from "../registry/contract/transformer.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { orch } from "../vocabulary/orch.ts";
import { type Encryption, encryptionPollMs, openEncryption } from "./encryption.ts";
import { startTestKms, type TestKms } from "./kms-server.fixture.ts";

const secretsOf = { aes: "c2VjcmV0IGlzIHNlY3VyZQ==", other: "dGhpcyBpcyBwYXNzd29yZA==" };
const box = "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=";
const aescbc = (name: string, secret = secretsOf.aes) => `{aescbc: {keys: [{name: ${name}, secret: "${secret}"}]}}`;
const aesgcm = (name: string, secret = secretsOf.aes) => `{aesgcm: {keys: [{name: ${name}, secret: "${secret}"}]}}`;
const secretbox = `{secretbox: {keys: [{name: key1, secret: "${box}"}]}}`;
const fileOf = (...providers: string[]) =>
  `{apiVersion: apiserver.config.k8s.io/v1, kind: EncryptionConfiguration, resources: [{resources: [secrets], providers: [${providers.join(", ")}]}]}`;

const opened: Encryption[] = [];
const plugins: TestKms[] = [];
afterEach(() => {
  for (const encryption of opened.splice(0)) encryption.close();
  for (const kms of plugins.splice(0)) kms.remove();
});

async function open(text: string | (() => string), options: { clock?: typeof systemClock; log?: Log } = {}) {
  const encryption = await openEncryption({
    read: async () => (typeof text === "string" ? text : text()),
    familyOf: (resource) => `core/${resource}` as FamilyId,
    vocabulary: kubernetes,
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
  });
  opened.push(encryption);
  return encryption;
}

const key = "/core/secrets/default/a";
const plain = Buffer.from('{"kind":"Secret","data":{"password":"aHVudGVyMg=="}}');
const family = "core/secrets" as FamilyId;

async function stored(encryption: Encryption, at = key): Promise<Buffer> {
  return Buffer.from((await encryption.transformer.toStorage(at, plain)).value);
}
async function read(encryption: Encryption, value: Uint8Array, at = key): Promise<string> {
  return Buffer.from((await encryption.transformer.fromStorage(at, value)).value).toString();
}
async function refusal(work: () => Promise<unknown>): Promise<Unreadable> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Unreadable);
  return error as Unreadable; // checked just above
}
const metricsOf = (encryption: Encryption) => encryption.metrics.map((metric) => metric.text()).join("");

describe("providers with a key in the file", () => {
  const cases = [
    { provider: aescbc("key1"), prefix: "k8s:enc:aescbc:v1:key1:" },
    { provider: aesgcm("key1"), prefix: "k8s:enc:aesgcm:v1:key1:" },
    { provider: secretbox, prefix: "k8s:enc:secretbox:v1:key1:" },
  ];
  for (const { provider, prefix } of cases) {
    test(`${prefix} the value is stored under the prefix of v1.21, encrypts differently each time, and is read back`, async () => {
      const encryption = await open(fileOf(provider));
      const value = await stored(encryption);
      expect(value.toString("latin1").startsWith(prefix)).toBe(true);
      expect(value.includes("password")).toBe(false);
      expect(value.equals(await stored(encryption))).toBe(false);
      expect(await read(encryption, value)).toBe(plain.toString());
    });

    test(`${prefix} a changed or truncated value is refused`, async () => {
      const encryption = await open(fileOf(provider));
      const value = await stored(encryption);
      for (const bad of [value.subarray(0, prefix.length), value.subarray(0, value.length - 1)]) {
        await refusal(async () => await read(encryption, bad));
      }
    });
  }

  test("the other vocabulary has its own prefix", async () => {
    const encryption = await openEncryption({
      read: async () => fileOf(aescbc("key1")).replace("apiserver.config.k8s.io", "apiserver.config.orch.io"),
      familyOf: (resource) => `core/${resource}` as FamilyId,
      vocabulary: orch,
      clock: systemClock,
      log: silentLog,
    });
    opened.push(encryption);
    expect((await stored(encryption)).toString("latin1")).toMatch(/^orch:enc:aescbc:v1:key1:/);
  });

  test("GCM binds a value to its key: moved to another object it is refused", async () => {
    const encryption = await open(fileOf(aesgcm("key1")));
    const value = await stored(encryption);
    const { message } = await refusal(async () => await read(encryption, value, "/core/secrets/default/b"));
    expect(message).toMatch(/k8s:enc:aesgcm:v1:key1:.*was moved/);
  });

  test("a resource without a rule is not encrypted; its encrypted bytes are refused", async () => {
    const encryption = await open(fileOf(aescbc("key1")));
    const other = "/core/configmaps/default/a";
    expect((await stored(encryption, other)).equals(plain)).toBe(true);
    const value = await stored(encryption);
    const { message } = await refusal(async () => await read(encryption, value, other));
    expect(message).toBe(
      "it is encrypted with k8s:enc:aescbc:v1:key1:: no matching prefix found in the encryption configuration",
    );
  });
});

describe("several providers", () => {
  test("the first one writes, all of them read, and values of another one are stale", async () => {
    const former = await open(fileOf(aescbc("key1"), "{identity: {}}"));
    const value = await stored(former);
    const next = await open(fileOf(secretbox, aescbc("key1"), "{identity: {}}"));
    expect(await read(next, value)).toBe(plain.toString());
    expect(await read(next, plain)).toBe(plain.toString());
    const keyId = async (bytes: Uint8Array) => (await next.transformer.fromStorage(key, bytes)).keyId;
    expect(await keyId(value)).not.toBe(next.transformer.writesWith(family));
    expect(await keyId(plain)).not.toBe(next.transformer.writesWith(family));
    expect(await keyId(await stored(next))).toBe(next.transformer.writesWith(family));
  });

  test("with identity first, encrypted values are read, and new ones are written in plain text", async () => {
    const value = await stored(await open(fileOf(aescbc("key1"))));
    const leaving = await open(fileOf("{identity: {}}", aescbc("key1")));
    expect(await read(leaving, value)).toBe(plain.toString());
    expect((await stored(leaving)).equals(plain)).toBe(true);
  });

  test("two keys of one name are both tried, so a secret can be replaced without a new name", async () => {
    const value = await stored(await open(fileOf(aescbc("key1"))));
    for (let round = 0; round < 50; round += 1) {
      const both = await open(fileOf(aescbc("key1", secretsOf.other), aescbc("key1")));
      expect(await read(both, value)).toBe(plain.toString());
      const transformed = await both.transformer.fromStorage(key, value);
      expect(transformed.keyId).not.toBe(both.transformer.writesWith(family));
    }
  });

  test("a resource that is named twice gets the providers of both places", async () => {
    const value = await stored(await open(fileOf(aescbc("key1"))));
    const text = `{apiVersion: v1, kind: EncryptionConfig, resources: [
      {resources: [secrets], providers: [${secretbox}]}, {resources: [secrets], providers: [${aescbc("key1")}]}]}`;
    const both = await open(text);
    expect(await read(both, value)).toBe(plain.toString());
    expect((await stored(both)).toString("latin1")).toMatch(/^k8s:enc:secretbox:/);
  });

  test("a wrong key names the prefix and the reason, and counts in the metrics", async () => {
    const value = await stored(await open(fileOf(aesgcm("key1"))));
    const wrong = await open(fileOf(aesgcm("key1", secretsOf.other)));
    const { message, isTransient } = await refusal(async () => await read(wrong, value));
    expect(message).toMatch(/^it is encrypted with k8s:enc:aesgcm:v1:key1:: message authentication failed/);
    expect(isTransient).toBe(false);
    expect(metricsOf(wrong)).toContain(
      'apiserver_storage_transformation_operations_total{status="Unknown",transformation_type="from_storage",transformer_prefix="k8s:enc:aesgcm:v1:"} 1',
    );
  });
});

describe("the file while the server runs", () => {
  test("a changed file is used after the next poll; a broken one is refused, counted, and changes nothing", async () => {
    const clock = createManualClock(0);
    const errors: unknown[] = [];
    let text = fileOf(aescbc("key1"));
    const log = { ...silentLog, error: (message: string, fields?: object) => void errors.push([message, fields]) };
    const encryption = await open(() => text, { clock, log });
    const value = await stored(encryption);
    let changes = 0;
    encryption.transformer.onChange(() => {
      changes += 1;
    });
    const poll = async () => {
      clock.advance(encryptionPollMs);
      await new Promise((resolve) => setImmediate(resolve));
    };

    text = fileOf("{aescbc: {keys: [{name: key2, secret: hunter2}]}}");
    await poll();
    expect(changes).toBe(0);
    expect(JSON.stringify(errors)).toMatch(/stays in use.*secret is not of the expected length|base64/);
    expect(JSON.stringify(errors)).not.toContain("hunter2");
    expect(await read(encryption, value)).toBe(plain.toString());
    expect(metricsOf(encryption)).toContain("automatic_reload_failures_total 1");

    text = fileOf(aescbc("key2", secretsOf.other), aescbc("key1"));
    await poll();
    expect(changes).toBe(1);
    expect((await stored(encryption)).toString("latin1")).toMatch(/^k8s:enc:aescbc:v1:key2:/);
    expect(await read(encryption, value)).toBe(plain.toString());
    expect(metricsOf(encryption)).toContain("automatic_reload_success_total 1");
  });

  test("a file that is not YAML is refused without quoting it", async () => {
    await expect(open("{resources: [hunter2")).rejects.toThrow(/^it is not YAML or JSON/);
    await expect(open("{resources: [hunter2")).rejects.not.toThrow(/hunter2/);
  });
});

describe("a KMS plugin on a Unix socket", () => {
  const kmsOf = (kms: TestKms, more = "") => `{kms: {name: vault, endpoint: "${kms.endpoint}"${more}}}`;
  async function startPlugin(abstract?: string): Promise<TestKms> {
    const kms = await startTestKms(abstract);
    plugins.push(kms);
    return kms;
  }

  test("encrypts the data key of each value, which is cached", async () => {
    const kms = await startPlugin();
    const encryption = await open(fileOf(kmsOf(kms)));
    const value = await stored(encryption);
    expect(value.toString("latin1")).toMatch(/^k8s:enc:kms:v1:vault:/);
    expect(await read(encryption, value)).toBe(plain.toString());
    expect(kms.calls).toEqual(["Version", "Encrypt"]);
    const restarted = await open(fileOf(kmsOf(kms)));
    expect(await read(restarted, value)).toBe(plain.toString());
    expect(await read(restarted, value)).toBe(plain.toString());
    expect(kms.calls).toEqual(["Version", "Encrypt", "Version", "Decrypt"]);
    expect(metricsOf(restarted)).toContain("apiserver_storage_envelope_transformation_cache_misses_total 1");
    expect(metricsOf(restarted)).toContain("apiserver_envelope_encryption_dek_cache_fill_percent 0.001");
  });

  test("may have an abstract socket", async () => {
    const kms = await startPlugin(`kms-test-${process.pid}`);
    const encryption = await open(fileOf(kmsOf(kms)));
    expect(await read(encryption, await stored(encryption))).toBe(plain.toString());
  });

  test("is called each time if the cache size is negative", async () => {
    const kms = await startPlugin();
    const encryption = await open(fileOf(kmsOf(kms, ", cachesize: -1")));
    const value = await stored(encryption);
    await read(encryption, value);
    await read(encryption, value);
    expect(kms.calls).toEqual(["Version", "Encrypt", "Decrypt", "Decrypt"]);
  });

  test("has a health check that encrypts and decrypts, and caches the answer", async () => {
    const clock = createManualClock(0);
    const kms = await startPlugin();
    const encryption = await open(fileOf(kmsOf(kms)), { clock });
    const [check] = encryption.checks();
    expect(check?.name).toBe("kms-provider-0");
    await check?.check();
    await check?.check();
    expect(kms.calls).toEqual(["Version", "Encrypt", "Decrypt"]);
    kms.isBroken = true;
    clock.advance(20_000);
    await expect(check?.check()).rejects.toThrow(
      "failed to perform encrypt section of the healthz check for KMS Provider vault: KMS provider vault: the key is disabled",
    );
    kms.isBroken = false;
    clock.advance(3_000);
    await check?.check();
  });

  test("has a health check from when the file names it until it no longer does", async () => {
    const [first, second] = [await startPlugin(), await startPlugin()];
    let text = fileOf(aescbc("key1"));
    const encryption = await open(() => text);
    const namesAfter = async (next: string) => {
      text = next;
      await encryption.reload();
      return encryption.checks().map(({ name }) => name);
    };
    expect(await namesAfter(fileOf(kmsOf(first)))).toEqual(["kms-provider-0"]);
    expect(await namesAfter(fileOf(kmsOf(first), kmsOf(second)))).toEqual(["kms-provider-0", "kms-provider-1"]);
    second.isBroken = true;
    await encryption.checks()[0]?.check();
    await expect(encryption.checks()[1]?.check()).rejects.toThrow("the key is disabled");
    expect(await namesAfter(fileOf(kmsOf(first)))).toEqual(["kms-provider-0"]);
    expect(await namesAfter(fileOf(aescbc("key1")))).toEqual([]);
  });

  test("that does not answer fails the write and the read; both may work later", async () => {
    const kms = await startPlugin();
    const encryption = await open(fileOf(kmsOf(kms, ", timeout: 300ms")));
    const value = await stored(encryption);
    kms.stop();
    const later = await open(fileOf(kmsOf(kms, ", timeout: 300ms")));
    expect((await refusal(async () => await read(later, value))).isTransient).toBe(true);
    await expect(stored(later)).rejects.toThrow(/KMS provider vault/);
    await kms.start();
    await expect.poll(async () => await read(later, value).catch(() => "")).toBe(plain.toString());
  });

  test("of another version of the protocol is not used", async () => {
    const kms = await startPlugin();
    kms.version = "v2";
    const encryption = await open(fileOf(kmsOf(kms)));
    await expect(stored(encryption)).rejects.toThrow('its API version "v2" is not supported, only v1beta1 is');
  });
});
