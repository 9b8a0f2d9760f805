import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { likesOf } from "../flags/like.ts";
import { issueAuthority, issueClient, issueServing } from "../pki/issue.ts";
import { apiserverHelp, likeOfVersion, nodesOf } from "./envtest.ts";

const folder = join(process.cwd(), "bin/envtest");
const program = (name: string) => join(folder, name);

test("a release is named as suites name it", () => {
  expect(["1.28", "1.28.3", "v1.28.x", "1.28.x!", ""].map(likeOfVersion)).toEqual([
    ...Array.from({ length: 4 }, () => "kubernetes-1.28"),
    "",
  ]);
  expect(() => likeOfVersion("1.20")).toThrow("--version must be one of 1.21");
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number }; // it listens
  await new Promise((resolve) => server.close(resolve));
  return port;
}

let work = "";
const children: ChildProcess[] = [];
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "orch-envtest-"));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(work, { recursive: true, force: true });
});

function start(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program(name), args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  children.push(child);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { child, exit, log: () => log };
}

test("the folder and the variables are printed", () => {
  const orch = join(process.cwd(), "bin/orch");
  expect(execFileSync(orch, ["envtest"], { encoding: "utf8" })).toBe(`${folder}\n`);
  const lines = execFileSync(orch, ["envtest", "--env"], { encoding: "utf8" });
  expect(lines).toContain(`export TEST_ASSET_KUBE_APISERVER='${program("kube-apiserver")}'\n`);
  expect(lines).toContain(`export TEST_ASSET_ETCD='${program("etcd")}'\n`);
  expect(lines).toContain(`export TEST_ASSET_KUBECTL='${program("kubectl")}'\n`);
});

test("the newest level is served unless another is asked for, and the first line on standard error says which", () => {
  const call = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(join(process.cwd(), "bin/orch"), ["envtest", ...args], {
      encoding: "utf8",
      env: { ...process.env, ORCH_EMULATED_VERSION: "", ENVTEST_K8S_VERSION: "", ...env },
    });
  expect(call([]).stderr).toBe(
    "orch envtest: kube-apiserver serves kubernetes-1.37; --like=kubernetes-1.21 to kubernetes-1.36 serves another\n",
  );
  const older = call(["--like=kubernetes-1.21"]);
  expect(older.stdout).toBe(`${folder}/kubernetes-1.21\n`);
  expect(older.stderr).toContain("kube-apiserver serves kubernetes-1.21");
  expect(call([], { ORCH_EMULATED_VERSION: "1.21" }).stdout).toBe(older.stdout);
  expect(call([], { ENVTEST_K8S_VERSION: "1.21.x" }).stdout).toBe(older.stdout);
  expect(call([], { ENVTEST_K8S_VERSION: "1.28.0", ORCH_EMULATED_VERSION: "1.21" }).stdout).toBe(older.stdout);
  expect(call([], { ENVTEST_K8S_VERSION: "latest" }).stdout).toBe(`${folder}\n`);
  const early = call([], { ENVTEST_K8S_VERSION: "1.19.2" });
  expect(early).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("ENVTEST_K8S_VERSION must be one of 1.21"),
  });
  expect(call(["--like=orch-1.37"]).stderr).toContain("must be one of kubernetes-1.21 to kubernetes-1.37");
  const both = call(["--like=kubernetes-1.37"], { ORCH_EMULATED_VERSION: "1.21" });
  expect(both).toMatchObject({ status: 2, stderr: expect.stringContaining("unset it") });
});

test("each level that is not the newest has a folder of programs (npm run golden writes it)", () => {
  for (const like of likesOf("kubernetes").slice(1))
    for (const name of ["kube-apiserver", "etcd", "kubectl"])
      expect(() => accessSync(program(join(like, name)), constants.X_OK)).not.toThrow();
});

test("links to the command and to the programs work, as package managers and people make them", async () => {
  const bin = join(work, "bin");
  await mkdir(bin);
  await symlink(join(process.cwd(), "bin/orch"), join(bin, "orch"));
  expect(execFileSync(join(bin, "orch"), ["envtest"], { encoding: "utf8" })).toBe(`${folder}\n`);
  for (const name of ["kube-apiserver", "etcd", "kubectl"])
    await symlink(relative(bin, program(name)), join(bin, name));
  await symlink("kube-apiserver", join(bin, "again"));
  expect(execFileSync(join(bin, "again"), ["--help"], { encoding: "utf8" })).toBe(apiserverHelp());
  expect(execFileSync(join(bin, "etcd"), ["--help"], { encoding: "utf8" })).toContain("--listen-client-urls");
  expect(execFileSync(join(bin, "kubectl"), ["version", "--client"], { encoding: "utf8" })).toContain("Client Version");
});

test("the help of both programs lists the flags that tools look for, without Node on the PATH", () => {
  const help = (name: string) =>
    execFileSync(program(name), ["--help"], { encoding: "utf8", env: { PATH: "/usr/bin:/bin" } });
  expect(help("kube-apiserver")).toMatch(/^\s*--cert-dir\b/m);
  expect(help("kube-apiserver")).not.toMatch(/^\s*--insecure-port\b/m);
  expect(help("etcd")).toMatch(/^\s*--unsafe-no-fsync\b/m);
});

test("the recorded help is that of the flags (npm run golden writes it)", () => {
  expect(readFileSync(program("kube-apiserver.help"), "utf8")).toBe(apiserverHelp());
});

test("ORCH_NODES is a number of nodes, or a clear error", () => {
  expect([nodesOf(), nodesOf(""), nodesOf("3")]).toEqual([0, 0, 3]);
  for (const wrong of ["-1", "three", "1.5", "1000000"])
    expect(() => nodesOf(wrong)).toThrow("ORCH_NODES: must be a whole number from 0 to 5000");
});

test("etcd answers health checks, and refuses to keep anything", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { child, exit } = start("etcd", [
    "--listen-peer-urls=http://localhost:0",
    "--unsafe-no-fsync=true",
    `--advertise-client-urls=${url}`,
    `--listen-client-urls=${url}`,
    `--data-dir=${work}`,
  ]);
  await expect.poll(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status).toBe(200);
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ health: "true" });
  expect((await fetch(`${url}/v3/kv/put`, { method: "POST", body: "{}" })).status).toBe(501);
  child.kill("SIGTERM");
  expect(await exit).toBe(0);
});

/** The files and flags that envtest passes. */
async function control(port: number) {
  const authority = issueAuthority("envtest", systemClock);
  const serving = issueServing(authority, { commonName: "localhost", hosts: ["localhost", "127.0.0.1"] }, systemClock);
  const admin = issueClient(authority, { commonName: "admin", organizations: ["system:masters"] }, systemClock);
  const keys = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const write = (name: string, text: string) => writeFile(join(work, name), text);
  await write("apiserver.crt", serving.certificate);
  await write("apiserver.key", serving.key);
  await write("client-cert-auth-ca.crt", authority.certificate);
  await write("sa-signer.key", keys.privateKey);
  await write("sa-signer.crt", keys.publicKey);
  const flags = [
    "--advertise-address=127.0.0.1",
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    `--cert-dir=${work}`,
    `--client-ca-file=${work}/client-cert-auth-ca.crt`,
    "--disable-admission-plugins=ServiceAccount",
    "--etcd-servers=http://127.0.0.1:2379",
    `--secure-port=${port}`,
    "--service-account-issuer=https://127.0.0.1/",
    `--service-account-key-file=${work}/sa-signer.crt`,
    `--service-account-signing-key-file=${work}/sa-signer.key`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--shutdown-send-retry-after=true",
  ];
  const tls = { ca: authority.certificate, cert: admin.certificate, key: admin.key, agent: false as const };
  const call = (path: string, method = "GET", body = "") =>
    new Promise<number>((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const sent = request({ host: "127.0.0.1", port, path, method, headers, ...tls }, (answer) => {
        answer.resume();
        answer.once("error", reject);
        answer.once("end", () => resolve(answer.statusCode ?? 0));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  const status = (path: string) => call(path).catch(() => 0);
  return { flags, call, status };
}

test("kube-apiserver serves what envtest asks for, and ends at a signal while a watch is open", async () => {
  const { flags, call, status } = await control(await freePort());
  const env = { ORCH_CONTROLLERS: "namespace", ORCH_NODES: "2" };
  const { child, exit, log } = start("kubernetes-1.21/kube-apiserver", flags, env);
  await expect.poll(() => status("/healthz")).toBe(200);
  expect(log().split("\n")[0]).toContain("kubernetes-1.21");
  expect(await status("/apis/resource.k8s.io/v1")).toBe(404);
  expect(await status("/api/v1/namespaces/default")).toBe(200);
  expect(log()).toContain("--shutdown-send-retry-after is accepted but has no effect");
  expect(await call("/api/v1/namespaces", "POST", '{"metadata":{"name":"gone"}}')).toBe(201);
  expect(await call("/api/v1/namespaces/gone", "DELETE")).toBe(200);
  await expect.poll(() => status("/api/v1/namespaces/gone")).toBe(404); // by the controller
  await expect.poll(() => status("/api/v1/nodes/node-1")).toBe(200);
  const watching = call("/api/v1/namespaces?watch=1").catch(() => undefined);
  child.kill("SIGTERM");
  expect(await exit).toBe(0);
  await watching;
});

test("kube-apiserver ends with the process that started it", async () => {
  const { flags, status } = await control(await freePort());
  const script = `const { spawn } = require("node:child_process"); spawn(process.argv[1], JSON.parse(process.argv[2]), { stdio: "ignore" }); setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["-e", script, program("kube-apiserver"), JSON.stringify(flags)]);
  children.push(parent);
  await expect.poll(() => status("/healthz")).toBe(200);
  expect(await status("/apis/resource.k8s.io/v1")).toBe(200); // the newest level
  parent.kill("SIGKILL");
  await expect.poll(() => status("/healthz")).toBe(0);
});

test("kubectl speaks as kubectl", () => {
  const text = execFileSync(program("kubectl"), ["version", "--client"], { encoding: "utf8" });
  expect(text).toContain("Client Version");
});
