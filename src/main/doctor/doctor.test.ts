import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, createManualClock, systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { examine, exitCodeOf, withAddressOfServer } from "../commands/doctor.ts";
import { doctorFlags } from "../flags/doctor-flags.ts";
import { issueAuthority, issueServing } from "../pki/issue.ts";
import { openPki } from "../pki/pki.ts";
import { openApiServer } from "../programs/apiserver.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const dayMs = 86_400_000;
const issued = createManualClock(start);
const authority = issueAuthority("test", issued);
const serving = issueServing(authority, { commonName: "server", hosts: ["127.0.0.1", "localhost", "::1"] }, issued);

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-doctor-"));
  await writeFile(join(folder, "serving.crt"), serving.certificate);
  await writeFile(join(folder, "serving.key"), serving.key, { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pair = () => [
  `--tls-cert-file=${join(folder, "serving.crt")}`,
  `--tls-private-key-file=${join(folder, "serving.key")}`,
];
const later = (days: number): Clock => createManualClock(start + days * dayMs);

async function look(clock: Clock, ...args: string[]) {
  const usual = [`--data-dir=${join(folder, "data")}`, "--secure-port=0", "--bind-address=127.0.0.1"];
  const { values } = parseFlags(doctorFlags, [...usual, ...args]);
  const findings = await examine({ flags: values, clock });
  const of = (check: string) => findings.filter((finding) => finding.check === check && finding.level !== "ok");
  return { findings, of };
}

describe("certificates", () => {
  test("that expire late, with the right names and a private key, are fine", async () => {
    const { of } = await look(later(1), ...pair());
    expect(of("certificates")).toEqual([]);
  });

  test("that expire soon get a warning, and expired ones are errors; each says what to do", async () => {
    expect((await look(later(340), ...pair())).of("certificates")).toMatchObject(
      [
        { level: "warning", message: /^ends on 2027-01-01, in \d+ days$/, advice: expect.stringContaining("SIGHUP") },
      ].map((row) => ({ ...row, message: expect.stringMatching(row.message) })),
    );
    expect((await look(later(400), ...pair())).of("certificates")).toMatchObject([
      { level: "error", message: expect.stringMatching(/^expired on 2027-01-01$/) },
    ]);
    expect((await look(later(-1), ...pair())).of("certificates")).toMatchObject([
      { level: "error", message: expect.stringMatching(/^is valid from /) },
    ]);
  });

  test('of "orch up" need only the names of loopback, unless another address is set', async () => {
    const pki = join(folder, "data", "pki");
    await mkdir(pki, { recursive: true });
    for (const [name, text] of Object.entries({ "serving.crt": serving.certificate, "serving.key": serving.key })) {
      await writeFile(join(pki, name), text, { mode: 0o600 });
    }
    const problemsWith = async (...args: string[]) => {
      const { values, given } = parseFlags(doctorFlags, [`--data-dir=${join(folder, "data")}`, ...args]);
      const findings = await examine({ flags: await withAddressOfServer(values, given), clock: later(1) });
      return findings.filter(({ check, level }) => check === "certificates" && level !== "ok");
    };
    expect(await problemsWith()).toEqual([]);
    expect(await problemsWith("--bind-address=192.0.2.7")).toMatchObject([
      { level: "warning", message: expect.stringMatching(/^does not name .*192\.0\.2\.7/) },
    ]);
  });

  test('of "orch up" that a start would refuse are found, those of the front proxy and of tokens too', async () => {
    const data = join(folder, "data");
    const names = ["ca.key", "admin.crt", "front-proxy-ca.crt", "front-proxy-client.key", "service-account.key"];
    await openPki({ folder: join(data, "pki"), hosts: ["127.0.0.1"], adminName: "admin", clock: later(0) });
    for (const name of names) await writeFile(join(data, "pki", name), "not a key", { mode: 0o600 });
    const found = (await look(later(1))).of("certificates").filter(({ level }) => level === "error");
    expect(found.map(({ subject }) => subject).sort()).toEqual(names.map((name) => join(data, "pki", name)).sort());
    for (const { advice } of found) expect(advice).toMatch(/restore it from a backup, or remove/);
  });

  test("without the name of the server, with another key, or with a key that others can read are errors", async () => {
    const named = await look(later(1), ...pair(), "--external-hostname=api.example.com");
    expect(named.of("certificates")).toMatchObject([{ level: "warning", message: "does not name api.example.com" }]);
    await chmod(join(folder, "serving.key"), 0o640);
    expect((await look(later(1), ...pair())).of("certificates")).toMatchObject([
      {
        level: "warning",
        message: "others can read it (mode 0640)",
        advice: `chmod 600 ${join(folder, "serving.key")}`,
      },
    ]);
    await writeFile(join(folder, "serving.key"), authority.key);
    expect((await look(later(1), ...pair())).of("certificates")).toMatchObject([
      { level: "error", message: `is not the key of ${join(folder, "serving.crt")}` },
    ]);
    await writeFile(join(folder, "serving.crt"), "hunter2");
    const broken = (await look(later(1), ...pair())).of("certificates");
    expect(broken).toMatchObject([{ level: "error", message: expect.stringContaining("cannot be read") }]);
    expect(JSON.stringify(broken)).not.toContain("hunter2");
  });
});

describe("the folder of orch up", () => {
  test("with a key or a folder that others can reach is an error: a start refuses it", async () => {
    const pki = join(folder, "data", "pki");
    await mkdir(pki, { recursive: true, mode: 0o700 });
    await writeFile(join(pki, "ca.key"), "", { mode: 0o644 });
    await chmod(join(pki, "ca.key"), 0o644);
    expect((await look(systemClock)).of("folder")).toMatchObject([
      { level: "error", subject: join(pki, "ca.key"), advice: `chmod 600 ${join(pki, "ca.key")}` },
    ]);
    await chmod(join(pki, "ca.key"), 0o600);
    await chmod(pki, 0o755);
    expect((await look(systemClock)).of("folder")).toMatchObject([{ level: "error", subject: pki }]);
    await chmod(pki, 0o700);
    expect((await look(systemClock)).of("folder")).toEqual([]);
  });
});

describe("the store", () => {
  test("that does not exist yet is fine", async () => {
    const { of } = await look(systemClock);
    expect(of("store").filter(({ message }) => !message.includes("free on the disk"))).toEqual([]);
  });

  test("of a running server is not opened; after its stop its objects are counted", async () => {
    const args = [`--data-dir=${join(folder, "data")}`, "--secure-port=0", "--bind-address=127.0.0.1"];
    const { values } = parseFlags(doctorFlags, [...args, `--cert-dir=${folder}`, "--authorization-mode=RBAC"]);
    const server = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
    const { port } = new URL(server.url);
    const running = await look(systemClock, `--secure-port=${port}`);
    expect(running.findings.map(({ message }) => message).join("\n")).toMatch(/a server has it open/);
    expect(running.of("port")).toEqual([]);
    expect(running.findings.map(({ message }) => message)).toContain("agrees with the server's");
    expect(running.findings.find(({ subject }) => subject === "server")?.message).toMatch(/is ready: \d\d checks pass/);
    const skewed = await look(createManualClock(Date.now() + 3_600_000), `--secure-port=${port}`);
    expect(skewed.of("port")).toMatchObject([{ subject: "clock", level: "warning" }]);

    // Flags that name another port do not hide the server.
    expect((await look(systemClock, "--secure-port=1")).of("port")).toMatchObject([
      { level: "warning", message: expect.stringContaining(`process ${process.pid} has the folder open`) },
    ]);
    // The folder of `orch up` says where its server is.
    await mkdir(join(folder, "data", "pki"), { mode: 0o700 });
    await writeFile(join(folder, "data", "pki", "serving.crt"), serving.certificate);
    const cluster = { name: "c", cluster: { server: server.url } };
    const context = { name: "c", context: { cluster: "c" } };
    const config = { kind: "Config", clusters: [cluster], contexts: [context], "current-context": "c" };
    await writeFile(join(folder, "data", "admin.conf"), JSON.stringify(config), { mode: 0o600 });
    const addressWith = async (...flags: string[]) => {
      const parsed = parseFlags(doctorFlags, [`--data-dir=${join(folder, "data")}`, ...flags]);
      const found = await withAddressOfServer(parsed.values, parsed.given);
      return [found["bind-address"], found["secure-port"]];
    };
    expect(await addressWith()).toEqual(["127.0.0.1", Number(port)]);
    expect(await addressWith("--secure-port=6444")).toEqual(["127.0.0.1", 6444]);
    await server.stop();
    expect(await addressWith()).toEqual(["127.0.0.1", 6443]);
    const stopped = await look(systemClock);
    expect(stopped.findings.map(({ message }) => message).join("\n")).toMatch(/\d+ objects at revision \d+/);
  });

  test("that is damaged, or newer than the clock, is reported", async () => {
    const store = join(folder, "data", "store");
    await mkdir(store, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, "data", "folder.json"), '{"vocabulary":"orch"}', { mode: 0o600 });
    await writeFile(join(store, "data.mdb"), "x".repeat(100_000), { mode: 0o600 });
    expect((await look(systemClock)).of("store").map(({ level }) => level)).toContain("error");
    expect((await look(createManualClock(Date.now() - dayMs))).of("machine")).toMatchObject([
      { subject: "clock", level: "warning", message: expect.stringContaining("later than now") },
    ]);
  });

  test("an etcd that does not answer is an error", async () => {
    const { of } = await look(systemClock, "--kvstore-servers=http://127.0.0.1:1");
    expect(of("store")).toMatchObject([{ level: "error", subject: "http://127.0.0.1:1" }]);
  });
});

test("a port in use by another program is an error", async () => {
  const other = createServer((socket) => {
    socket.on("error", () => {});
    socket.end("hello\r\n", () => socket.destroy());
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect((await look(systemClock, `--secure-port=${port}`)).of("port")).toMatchObject([
    { level: "error", message: "another program listens on it" },
  ]);
  await new Promise((resolve) => other.close(resolve));
});

test("a running server that is not ready is an error with the checks that fail", async () => {
  const other = createHttpsServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    response.setHeader("audit-id", "a");
    response.statusCode = request.url === "/version" ? 200 : 500;
    response.end("[+]ping ok\n[-]etcd failed: reason withheld\n[-]kms-provider-0 failed: reason withheld\nfailed\n");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect((await look(systemClock, `--secure-port=${port}`)).of("port")).toMatchObject([
    { level: "error", subject: "server", message: "is not ready: etcd, kms-provider-0" },
  ]);
  await new Promise((resolve) => other.close(resolve));
});

test("an audit policy that the server would refuse is an error, and one without a backend is warned of", async () => {
  const file = join(folder, "policy.yaml");
  await writeFile(file, "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: []\n");
  const flag = `--audit-policy-file=${file}`;
  expect((await look(systemClock, flag)).of("configuration")).toMatchObject([
    { level: "error", subject: "auditing", message: expect.stringContaining("rules must not be empty") },
  ]);
  await writeFile(file, "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n");
  expect((await look(systemClock, flag)).of("configuration")).toMatchObject([{ level: "warning" }]);
  expect((await look(systemClock, "--audit-log-path=-")).of("configuration")).toMatchObject([{ level: "warning" }]);
  expect((await look(systemClock, flag, "--audit-log-path=-")).of("configuration")).toEqual([]);
});

test("an encryption file that the server would refuse is an error", async () => {
  await writeFile(join(folder, "encryption.yaml"), "{}", { mode: 0o600 });
  const { of } = await look(systemClock, `--encryption-provider-config=${join(folder, "encryption.yaml")}`);
  expect(of("configuration")).toMatchObject([
    { level: "error", message: expect.stringContaining("apiVersion and kind") },
  ]);
});

describe("whether objects are encrypted", () => {
  const file = (first: string) => `apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources: [{resources: [secrets], providers: [${first}]}]
`;
  const keys = `aescbc: {keys: [{name: one, secret: ${Buffer.alloc(32, 1).toString("base64")}}]}`;
  const encryption = async (...args: string[]) =>
    (await look(systemClock, ...args)).findings.filter(({ subject }) => subject === "encryption");

  async function running(...args: string[]) {
    const usual = [`--data-dir=${join(folder, "data")}`, "--secure-port=0", "--bind-address=127.0.0.1"];
    const { values } = parseFlags(doctorFlags, [...usual, `--cert-dir=${folder}`, ...args]);
    const server = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
    return { port: `--secure-port=${new URL(server.url).port}`, [Symbol.asyncDispose]: () => server.stop() };
  }

  test("is what the flags say while no server runs, which is told", async () => {
    expect(await encryption()).toMatchObject(
      [{ level: "ok", message: /would be stored in plain text; no server said/ }].map((row) => ({
        ...row,
        message: expect.stringMatching(row.message),
      })),
    );
  });

  test("is asked of the server that runs, whatever the flags say", async () => {
    await writeFile(join(folder, "encryption.yaml"), file(`{${keys}}`), { mode: 0o600 });
    const flag = `--encryption-provider-config=${join(folder, "encryption.yaml")}`;
    {
      await using plain = await running("--authorization-mode=RBAC");
      expect(await encryption(plain.port)).toMatchObject([
        { level: "ok", message: "the server stores objects in plain text" },
      ]);
      expect(await encryption(plain.port, flag)).toMatchObject([
        { level: "warning", message: expect.stringContaining("in plain text, although") },
      ]);
    }
    await using keyed = await running("--authorization-mode=RBAC", flag);
    const [told, ...more] = await encryption(keyed.port);
    expect([told?.level, more]).toEqual(["ok", []]);
    expect(told?.message).toMatch(
      /^the server (encrypts: \d+ values by \S*aescbc\S* since its start|has an encryption configuration)/,
    );
  });
});

test("the exit code is that of the worst finding", () => {
  const of = (...levels: ("ok" | "warning" | "error")[]) =>
    exitCodeOf(levels.map((level) => ({ level, subject: "", message: "" })));
  expect([of("ok"), of("ok", "warning"), of("warning", "error", "ok")]).toEqual([0, 1, 2]);
});
