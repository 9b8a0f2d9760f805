/** The examples of deploy/: each is checked by the tool that reads it, where that tool is installed. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flags } from "../../src/base/flags/flag.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { decodeYaml } from "../../src/machinery/codec/yaml.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { controllerManagerFlags } from "../../src/main/flags/controller-manager-flags.ts";
import { describeWith, freePort, openssl, type Program, run } from "./programs.ts";

const deploy = resolve("deploy");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-deploy-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const installed = (name: string, path: string, of: string): Program => ({
  name,
  isThere: () => existsSync(path),
  howTo: `install ${of}`,
});
const systemdAnalyze = installed("systemd-analyze", "/usr/bin/systemd-analyze", "systemd");
const systemdNotify = installed("systemd-notify", "/usr/bin/systemd-notify", "systemd");
const haproxy = installed("haproxy", "/usr/sbin/haproxy", "haproxy");

/** The most that `systemd-analyze security` may find, in tenths: 0 is nothing, 100 everything. */
const exposureMax = 20;

for (const [name, command, flags] of [
  ["orch.service", "apiserver", apiserverFlags],
  ["orch-controller-manager.service", "controller-manager", controllerManagerFlags],
] as const)
  describeWith(systemdAnalyze, `the systemd unit ${name}`, () => {
    let unit = "";
    beforeAll(async () => {
      unit = join(folder, name);
      // The program that a unit starts must exist for the check; here it is elsewhere. Units that are named must be there too.
      for (const file of ["orch.service", "orch-controller-manager.service"]) {
        const text = await readFile(join(deploy, "systemd", file), "utf8");
        await writeFile(join(folder, file), text.replace("/usr/bin/node", process.execPath));
      }
    });

    test("is valid", async () => {
      const { code, stderr } = await run("systemd-analyze", ["verify", unit]);
      expect([code, stderr]).toEqual([0, ""]);
    });

    test("has a low exposure level", async () => {
      const args = ["security", "--offline=yes", `--threshold=${exposureMax}`, "--no-pager", unit];
      const { code, stdout } = await run("systemd-analyze", args);
      expect(code, stdout.slice(-200)).toBe(0);
    });

    test("uses flags that the program accepts, with those of orch.env", async () => {
      const text = (await readFile(unit, "utf8")).replaceAll("\\\n", " ");
      const [, program, words = "", variable] = /^ExecStart=.*bin\/orch (\S+) (.*)\$(\w+)$/m.exec(text) ?? [];
      expect(program).toBe(command);
      const env = await readFile(join(deploy, "systemd/orch.env"), "utf8");
      const [, further = ""] = new RegExp(`^${variable}=(.*)$`, "m").exec(env) ?? [];
      const args = `${words} ${further}`.split(/\s+/).filter((word) => word.startsWith("--"));
      expect(args.length).toBeGreaterThan(2);
      expect(parseFlags<Flags>(flags, args).warnings).toEqual([]);
    });
  });

/** Receives datagrams and prints each on a line: Node has no such sockets. */
const listener = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(s.recv(4096).decode().replace("\\n", " "), flush=True)
`;

function linesOf(child: ChildProcess): { text(): string } {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += String(chunk);
    });
  }
  return { text: () => text };
}

describeWith(systemdNotify, "a server under a service manager", () => {
  test("notifies that it is ready, alive and stopping; the health check of the image sees it", async () => {
    const socket = join(folder, "notify.sock");
    const python = spawn("/usr/bin/python3", ["-c", listener, socket]);
    const told = linesOf(python);
    const patience = { timeout: 30_000 };
    await expect.poll(told.text, patience).toContain("listening");
    const port = await freePort();
    const args = ["apiserver", "--store=memory", `--cert-dir=${join(folder, "certs")}`, "--bind-address=127.0.0.1"];
    const orch = spawn(process.execPath, [resolve("bin/orch"), ...args, `--secure-port=${port}`], {
      env: { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: "500000" },
    });
    const output = linesOf(orch);
    try {
      await expect.poll(told.text, patience).toContain("READY=1");
      expect(told.text()).toContain(`STATUS=serving https://127.0.0.1:${port}`);
      await expect.poll(told.text, patience).toContain("WATCHDOG=1");
      const env = { ORCH_HEALTH_URL: `https://127.0.0.1:${port}/livez` };
      const check = () => run(process.execPath, [join(deploy, "docker/healthcheck.mjs")], { env });
      expect((await check()).code).toBe(0);
      const exited = new Promise<number | null>((done) => orch.once("exit", (code) => done(code)));
      orch.kill("SIGTERM");
      expect(await exited, output.text()).toBe(0);
      await expect.poll(told.text, patience).toContain("STOPPING=1");
      expect((await check()).code).toBe(1);
    } finally {
      orch.kill("SIGKILL");
      python.kill("SIGKILL");
    }
  });
});

describeWith(haproxy, "the load balancer", () => {
  test("has a valid configuration", async () => {
    const text = await readFile(join(deploy, "ha/haproxy.cfg"), "utf8");
    const file = join(folder, "haproxy.cfg");
    // The names are those of the example's own network.
    await writeFile(file, text.replaceAll(/ orch\d:6443/g, " 127.0.0.1:6443"));
    const { code, stderr } = await run("/usr/sbin/haproxy", ["-c", "-f", file]);
    expect([code, stderr.includes("[WARNING]") || stderr.includes("[ALERT]")], stderr).toEqual([0, false]);
  });
});

describeWith(openssl, "the script for certificates", () => {
  test("creates certificates that verify, with private keys, and keeps them when it runs again", async () => {
    const pki = join(folder, "pki");
    const script = join(deploy, "ha/certificates.sh");
    expect((await run("sh", [script, pki, "api.example.com", "192.0.2.7"])).code).toBe(0);
    for (const [authority, name] of [
      ["ca", "serving"],
      ["ca", "admin"],
      ["ca", "controller-manager"],
      ["etcd-ca", "etcd"],
      ["etcd-ca", "etcd-client"],
    ] as const) {
      const args = ["verify", "-CAfile", join(pki, `${authority}.crt`), join(pki, `${name}.crt`)];
      expect((await run("openssl", args)).code).toBe(0);
      expect((await stat(join(pki, `${name}.key`))).mode & 0o777).toBe(0o600);
    }
    const names = await run("openssl", ["x509", "-in", join(pki, "serving.crt"), "-noout", "-ext", "subjectAltName"]);
    expect(names.stdout).toContain("DNS:api.example.com, IP Address:192.0.2.7");
    const before = await readFile(join(pki, "serving.crt"), "utf8");
    expect((await run("sh", [script, pki, "api.example.com"])).code).toBe(0);
    expect(await readFile(join(pki, "serving.crt"), "utf8")).toBe(before);
    expect((await run("sh", [script])).code).not.toBe(0);
  });
});

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly depends_on?: readonly string[];
  readonly networks?: readonly string[];
}

describe("the compose files", () => {
  for (const name of ["compose/compose.yaml", "ha/compose.yaml"]) {
    test(`${name} uses flags that the server accepts and names existing files`, async () => {
      const file = decodeYaml(await readFile(join(deploy, name))) as {
        services: Record<string, Service>;
        networks: Record<string, unknown>;
      };
      const services = Object.entries(file.services);
      const servers = services.filter(([, { image }]) => image === "orch");
      expect(servers.length).toBeGreaterThan(0);
      for (const [, { command = [], read_only }] of servers) {
        expect(read_only).toBe(true);
        expect(["apiserver", "controller-manager"]).toContain(command[0]);
        const flags: Flags = command[0] === "apiserver" ? apiserverFlags : controllerManagerFlags;
        expect(parseFlags(flags, command.slice(1)).warnings).toEqual([]);
      }
      expect(servers.map(([, { command = [] }]) => command[0])).toContain("controller-manager");
      for (const [, { depends_on = [], networks = [] }] of services) {
        expect(depends_on.filter((other) => file.services[other] === undefined)).toEqual([]);
        expect(networks.filter((network) => network !== "default" && !(network in file.networks))).toEqual([]);
      }
    });
  }
});

describe("the Dockerfile", () => {
  test("has two stages, a user that is not root, a health check, and copies existing files", async () => {
    const lines = (await readFile(join(deploy, "docker/Dockerfile"), "utf8")).split("\n");
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
    expect(lines.filter((line) => line.startsWith("FROM "))).toHaveLength(2);
    expect(last.some((line) => /^USER [1-9]\d*:[1-9]\d*$/.test(line))).toBe(true);
    expect(last.some((line) => line.startsWith("HEALTHCHECK "))).toBe(true);
    const command = last.find((line) => line.startsWith("CMD "))?.slice(4) ?? "[]";
    expect(parseFlags(apiserverFlags, (JSON.parse(command) as string[]).slice(1)).warnings).toEqual([]);
    const copied = lines.flatMap((line) => /^COPY --from=build \/src\/(\S+) /.exec(line)?.[1] ?? []);
    const built = ["node_modules", "dist"];
    expect(copied.filter((path) => !built.includes(path) && !existsSync(resolve(path)))).toEqual([]);
  });
});
