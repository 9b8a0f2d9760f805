/** What a suite waits for that starts a control plane of its own: kube-apiserver until /healthz, and its stop while watches are open. */

import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { issueAuthority, issueClient } from "../../src/main/pki/issue.ts";
import { median, type Row } from "../report.ts";

const startBudgetMs = 600;
const stopBudgetMs = 50;
const watches = 20;
/** As often as suites ask; the start is measured to the answer, so it has this grain. */
const askAgainMs = 10;
const startMsMax = 30_000;

export async function measureEnvtest(rounds: number): Promise<Row[]> {
  const starts: number[] = [];
  const stops: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { startMs, stopMs } = await runOnce();
    starts.push(startMs);
    stops.push(stopMs);
  }
  const [startMs, stopMs] = [median(starts), median(stops)];
  return [
    {
      what: "envtest: kube-apiserver from its start to /healthz",
      measured: `${startMs.toFixed(0)} ms`,
      beside: "",
      budget: `< ${startBudgetMs} ms`,
      met: startMs < startBudgetMs,
    },
    {
      what: `envtest: from SIGTERM to its end, with ${watches} open watches`,
      measured: `${stopMs.toFixed(0)} ms`,
      beside: "",
      budget: `< ${stopBudgetMs} ms`,
      met: stopMs < stopBudgetMs,
    },
  ];
}

async function runOnce(): Promise<{ startMs: number; stopMs: number }> {
  const folder = await mkdtemp(join(tmpdir(), "orch-bench-envtest-"));
  const authority = issueAuthority("bench", systemClock);
  const user = issueClient(authority, { commonName: "admin", organizations: ["system:masters"] }, systemClock);
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(join(folder, "ca.crt"), authority.certificate);
  await writeFile(join(folder, "sa.key"), privateKey, { mode: 0o600 });
  const port = await freePort();
  const began = performance.now();
  const child = spawn(
    resolve("bin/envtest/kube-apiserver"),
    [
      "--etcd-servers=http://127.0.0.1:1",
      `--cert-dir=${folder}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--client-ca-file=${join(folder, "ca.crt")}`,
      "--authorization-mode=RBAC",
      "--service-cluster-ip-range=10.0.0.0/24",
      "--allow-privileged=true",
      "--disable-admission-plugins=ServiceAccount",
      "--service-account-issuer=https://127.0.0.1/",
      `--service-account-key-file=${join(folder, "sa.key")}`,
      `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    ],
    { stdio: "ignore" },
  );
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  try {
    while ((await statusOf(port, "/healthz")) !== 200) {
      if (performance.now() - began > startMsMax || child.exitCode !== null)
        throw new Error("kube-apiserver is not ready");
      await new Promise((done) => setTimeout(done, askAgainMs));
    }
    const startMs = performance.now() - began;
    const open = Array.from({ length: watches }, () => openWatch(port, user));
    await Promise.all(open);
    const asked = performance.now();
    child.kill("SIGTERM");
    await ended;
    return { startMs, stopMs: performance.now() - asked };
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

/** 0: it does not answer yet. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((done) => {
    // Its certificate is its own: a suite reads it from the folder.
    const request = get({ host: "127.0.0.1", port, path, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    request.on("error", () => done(0));
  });
}

/** Resolves when the watch has begun; nobody reads it. */
function openWatch(port: number, { certificate: cert, key }: { certificate: string; key: string }): Promise<void> {
  const path = "/api/v1/configmaps?watch=true";
  return new Promise((done, failed) => {
    const request = get(
      { host: "127.0.0.1", port, path, cert, key, rejectUnauthorized: false, agent: false },
      (answer) => {
        answer.on("error", () => {}); // the server ends
        answer.resume();
        if (answer.statusCode === 200) done();
        else failed(new Error(`a watch was answered with ${answer.statusCode}`));
      },
    );
    request.on("error", failed);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as { port: number }; // it listens
  await new Promise((done) => server.close(done));
  return port;
}
