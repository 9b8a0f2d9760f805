import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { Agent, type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { issueAuthority, issueServing } from "../../src/main/pki/issue.ts";
import { freePort, run } from "./programs.ts";

const orch = resolve("bin/orch");
let folder = "";
const children = new Set<ChildProcess>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-process-"));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly port: number;
  readonly child: ChildProcess;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

async function start(...args: string[]): Promise<Started> {
  const port = await freePort();
  const child = spawn(process.execPath, [orch, ...args, `--secure-port=${port}`]);
  children.add(child);
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    text += String(chunk);
  });
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  void exited.then(() => children.delete(child));
  for (let tries = 0; tries < 1_000; tries++) {
    if (child.exitCode !== null) throw new Error(`orch ended with ${child.exitCode}: ${text}`);
    const status = await get(port, "/readyz").catch(() => ({ status: 0 }));
    if (status.status === 200) break;
    await new Promise((done) => setTimeout(done, 20));
  }
  return {
    port,
    child,
    output: () => text,
    async stop(signal = "SIGTERM") {
      const begin = performance.now();
      child.kill(signal);
      return { code: await exited, ms: performance.now() - begin };
    },
  };
}

interface GetOptions extends RequestOptions {
  readonly body?: string;
  /** Called when the answer begins. */
  readonly begun?: () => void;
}

/** A watch lasts half an hour or longer: a stop that waited for it would not end in this time, even on a busy machine. */
const stopMsMax = 20_000;

function get(port: number, path: string, { body, begun, ...options }: GetOptions = {}) {
  return new Promise<{ status: number; text: string; certificate: string }>((done, fail) => {
    const call = request(
      { host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false, ...options },
      (answer) => {
        const certificate = (answer.socket as TLSSocket).getPeerCertificate().fingerprint256;
        let text = "";
        begun?.();
        answer.on("data", (chunk) => {
          text += String(chunk);
        });
        answer.on("end", () => done({ status: answer.statusCode ?? 0, text, certificate }));
      },
    );
    call.on("error", fail);
    call.end(body);
  });
}

async function contents(path: string): Promise<Record<string, string>> {
  const names = await readdir(path);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), "utf8")])),
  );
}

test("a server that npm started ends with npm, although npm's shell does not forward signals", async () => {
  const port = await freePort();
  const args = ["start", "--silent", "--", `--data-dir=${join(folder, "npm")}`, `--secure-port=${port}`];
  const npm = spawn("npm", args, { stdio: "ignore" });
  children.add(npm);
  const answers = () =>
    get(port, "/readyz").then(
      ({ status }) => status === 200,
      () => false,
    );
  await expect.poll(answers, { interval: 100 }).toBe(true);
  npm.kill("SIGTERM");
  await expect.poll(answers, { interval: 100 }).toBe(false);
});

describe("orch up", () => {
  test("creates its files once, and serves the admin of its client configuration", async () => {
    const data = join(folder, "up");
    const first = await start("up", `--data-dir=${data}`);
    await expect.poll(() => first.output()).toContain(`client configuration   ${data}/admin.conf`);
    expect((await stat(join(data, "admin.conf"))).mode & 0o777).toBe(0o600);
    const credentials = {
      cert: await readFile(join(data, "pki/admin.crt")),
      key: await readFile(join(data, "pki/admin.key")),
    };
    const trusted = { ...credentials, ca: await readFile(join(data, "pki/ca.crt")), rejectUnauthorized: true };
    expect((await get(first.port, "/api/v1/namespaces", trusted)).status).toBe(200);
    expect((await get(first.port, "/api/v1/namespaces")).status).toBe(403);
    const before = await contents(join(data, "pki"));
    expect((await first.stop()).code).toBe(0);

    const second = await start("up", `--data-dir=${data}`);
    expect(await contents(join(data, "pki"))).toEqual(before);
    expect((await get(second.port, "/api/v1/namespaces", trusted)).status).toBe(200);
    await second.stop();
  });

  test("refuses keys that others can read, another vocabulary, and a second process", async () => {
    const data = join(folder, "refusals");
    const first = await start("up", `--data-dir=${data}`);
    const third = await run(process.execPath, [orch, "up", `--data-dir=${data}`, "--secure-port=0"]);
    expect([third.code, third.stderr]).toEqual([1, expect.stringMatching(/is already open in process \d+/)]);
    await first.stop();
    const other = await run(process.execPath, [orch, "up", `--data-dir=${data}`, "--vocabulary=kubernetes"]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("start with --vocabulary=orch")]);
    await chmod(join(data, "pki/ca.key"), 0o644);
    const leaky = await run(process.execPath, [orch, "up", `--data-dir=${data}`]);
    expect([leaky.code, leaky.stderr]).toEqual([1, expect.stringContaining("pki/ca.key has mode 0644")]);
  });
});

describe("orch apiserver", () => {
  const flags = (name: string) => [
    "--bind-address=127.0.0.1",
    "--store=memory",
    `--cert-dir=${join(folder, name)}`,
    "--authorization-mode=RBAC",
    `--token-auth-file=${join(folder, "tokens.csv")}`,
  ];
  const admin = { headers: { authorization: "Bearer secret" } };
  beforeAll(() => writeFile(join(folder, "tokens.csv"), 'secret,admin,1,"system:masters"\n', { mode: 0o600 }));

  test("stops soon after SIGTERM, also with a watch open, which ends cleanly", async () => {
    const server = await start("apiserver", ...flags("stop"));
    let ended: ReturnType<typeof get> | undefined;
    await new Promise<void>((begun, fail) => {
      ended = get(server.port, "/api/v1/namespaces?watch=true", { ...admin, begun });
      ended.catch(fail);
    });
    const { code, ms } = await server.stop();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(stopMsMax);
    const answer = await ended;
    expect(answer?.status).toBe(200);
    expect(answer?.text.endsWith("}\n")).toBe(true);
  });

  test("a heap snapshot is a document of V8", async () => {
    const server = await start("apiserver", ...flags("heap"), "--profiling");
    const { status, text } = await get(server.port, "/debug/pprof/heapsnapshot", admin);
    expect([status, text.slice(0, 20), text.trimEnd().at(-1)]).toEqual([200, '{"snapshot":{"meta":', "}"]);
    await server.stop("SIGKILL");
  }, 300_000); // on a machine that may be busy

  test("every audit event is in the file when the process has ended, and no credential or Secret is (F12, C30 in docs/security-rows.md)", async () => {
    const [policy, file] = [join(folder, "audit-policy.json"), join(folder, "audit.log")];
    const rules = [{ level: "Metadata" }];
    await writeFile(policy, JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules }));
    const audited = [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`];
    const server = await start("apiserver", ...flags("audited"), ...audited);
    const body = JSON.stringify({ metadata: { name: "s" }, stringData: { password: "hunter2" } });
    const headers = { ...admin.headers, "content-type": "application/json" };
    const path = "/api/v1/namespaces/default/secrets";
    expect((await get(server.port, path, { method: "POST", headers, body })).status).toBe(201);
    const watch = get(server.port, `${path}?watch=true`, admin);
    const reads = Array.from({ length: 50 }, (_, at) => get(server.port, `${path}/s?at=${at}`, admin));
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
    await expect.poll(() => readFile(file, "utf8")).toContain("ResponseStarted");
    expect((await server.stop()).code).toBe(0);
    await watch;
    const text = await readFile(file, "utf8");
    const stages = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { requestURI: string; stage: string })
      .filter(({ requestURI }) => requestURI.startsWith(path))
      .map(({ requestURI, stage }) => `${requestURI.slice(path.length)} ${stage}`);
    const ofReads = reads.flatMap((_, at) => [`/s?at=${at} RequestReceived`, `/s?at=${at} ResponseComplete`]);
    const ofWatch = ["RequestReceived", "ResponseStarted", "ResponseComplete"].map((stage) => `?watch=true ${stage}`);
    expect(stages.sort()).toEqual([" RequestReceived", " ResponseComplete", ...ofReads, ...ofWatch].sort());
    expect(text).not.toMatch(/hunter2|aHVudGVyMg|Bearer|"secret"/);
  });

  test.concurrent("a request that is in progress when the stop begins is answered, and the connection then closes (F12)", async () => {
    const server = await start("apiserver", ...flags("drain"));
    const body = JSON.stringify({ metadata: { name: "late" } });
    const agent = new Agent({ keepAlive: true });
    const call = request({
      host: "127.0.0.1",
      port: server.port,
      path: "/api/v1/namespaces/default/configmaps",
      method: "POST",
      rejectUnauthorized: false,
      agent,
      headers: { ...admin.headers, "content-type": "application/json", "content-length": body.length },
    });
    const answered = new Promise<{ status: number | undefined; connection: string | undefined }>((done, fail) => {
      call.on("error", fail);
      call.on("response", (answer) => {
        answer.resume();
        done({ status: answer.statusCode, connection: answer.headers.connection });
      });
    });
    call.write(body.slice(0, 5));
    // The request has arrived when it counts.
    const metrics = async () => (await get(server.port, "/metrics", admin)).text;
    await expect.poll(metrics).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 1');
    const stopped = server.stop();
    // Longer than a server without requests may take to stop.
    await new Promise((done) => setTimeout(done, 6_000));
    call.end(body.slice(5));
    expect(await answered).toEqual({ status: 201, connection: "close" });
    expect((await stopped).code).toBe(0);
    agent.destroy();
  });

  test.concurrent("keeps serving during the shutdown delay, while readyz fails", async () => {
    const server = await start("apiserver", ...flags("delay"), "--shutdown-delay-duration=10s");
    const stopped = server.stop();
    await expect.poll(async () => (await get(server.port, "/readyz")).status).toBe(500);
    expect((await get(server.port, "/livez")).status).toBe(200);
    expect((await get(server.port, "/api/v1/namespaces", admin)).status).toBe(200);
    expect((await stopped).code).toBe(0);
  });

  test.concurrent("a shutdown delay that is longer than the stop timeout is waited for", async () => {
    const server = await start("apiserver", ...flags("long-delay"), "--shutdown-delay-duration=5s");
    expect((await server.stop()).code).toBe(0);
  });

  test("SIGHUP makes it reload its certificate", async () => {
    const authority = issueAuthority("test", systemClock);
    const [certificate, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    const renew = async () => {
      const pair = issueServing(authority, { commonName: "orch", hosts: ["127.0.0.1"] }, systemClock);
      await writeFile(key, pair.key, { mode: 0o600 });
      await writeFile(certificate, pair.certificate);
    };
    await renew();
    const server = await start(
      "apiserver",
      ...flags("hup"),
      `--tls-cert-file=${certificate}`,
      `--tls-private-key-file=${key}`,
    );
    const before = (await get(server.port, "/version", admin)).certificate;
    await renew();
    server.child.kill("SIGHUP");
    let after = before;
    for (let tries = 0; tries < 50 && after === before; tries++) {
      await new Promise((done) => setTimeout(done, 50));
      after = (await get(server.port, "/version", admin)).certificate;
    }
    expect(after).not.toBe(before);
    await server.stop();
  });

  // What else can be wrong is tried without a process, in src/main/cli.test.ts.
  test.concurrent.each([
    { args: ["--tls-min-verison=VersionTLS13"], says: "did you mean --tls-min-version?", exits: 2 },
    {
      args: ["--store=etcd", "--etcd-servers=http://127.0.0.1:1"],
      says: "etcd cannot be reached at http://127.0.0.1:1",
      exits: 1,
    },
  ])("reports what is wrong with $args and ends", async ({ args, says, exits }) => {
    const base = [
      "--bind-address=127.0.0.1",
      "--store=memory",
      "--secure-port=0",
      `--cert-dir=${join(folder, "mistakes")}`,
    ];
    const { code, stderr } = await run(process.execPath, [orch, "apiserver", ...base, ...args]);
    expect([code, stderr]).toEqual([exits, expect.stringContaining(says)]);
    expect(stderr).not.toContain("    at ");
  });
});

describe("orch", () => {
  test("a reader that closes the pipe early, such as head, is not an error", async () => {
    const child = spawn(process.execPath, [orch, "help", "apiserver", "--help-all"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (part) => {
      errors += part;
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect([code, errors]).toEqual([0, ""]);
  });

  test("help prints and exits, and an unknown command ends with the code of wrong usage", async () => {
    const [help, unknown] = await Promise.all([
      run(process.execPath, [orch, "help", "apiserver", "--help-all"]),
      run(process.execPath, [orch, "dance"]),
    ]);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("--token-auth-file string")]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('there is no command "dance"')]);
  });
});
