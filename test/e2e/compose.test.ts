/**
 * The services of the compose files, run as processes with the command lines that are written there: only names of hosts and folders of
 * containers are replaced, by ports and folders of this machine. A service is up when the health check of its image says so.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMember, findEtcd, freePorts, type TestProcess } from "../../src/kv/etcd/server.fixture.ts";
import { decodeYaml } from "../../src/machinery/codec/yaml.ts";
import { call } from "../cluster/call.ts";
import { openssl, run } from "./programs.ts";

const deploy = resolve("deploy");
const haproxy = "/usr/sbin/haproxy";
const etcd = findEtcd();
/** Where each sort of service listens inside of its container. */
const containerPorts = { etcd: [2379, 2380], orch: [6443], manager: [10257], lb: [6443] } as const;

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

let folder = "";
const processes = new Set<ChildProcess>();
const members = new Set<TestProcess>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-compose-"));
});
afterEach(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all([...members].map((member) => member.kill()));
  processes.clear();
  members.clear();
  rmSync(folder, { recursive: true, force: true });
});

type Sort = keyof typeof containerPorts;
const sorts: readonly Sort[] = ["etcd", "orch", "manager", "lb"];
const sortOf = (name: string): Sort => {
  const sort = sorts.find((prefix) => name.startsWith(prefix));
  if (sort === undefined) throw new Error(`the tests do not know what ${name} is`);
  return sort;
};

/** The services of one file with the ports and folders that they have here. */
class Stand {
  readonly compose: Compose;
  readonly #ports = new Map<string, number>();
  readonly #pki = join(folder, "pki");

  private constructor(compose: Compose) {
    this.compose = compose;
  }

  static async open(file: string, hosts: readonly string[]): Promise<Stand> {
    const stand = new Stand(decodeYaml(readFileSync(join(deploy, file))) as Compose);
    const named = Object.keys(stand.compose.services).flatMap((name) =>
      containerPorts[sortOf(name)].map((port) => `${name}:${port}`),
    );
    const ports = await freePorts(named.length);
    for (const [at, name] of named.entries()) stand.#ports.set(name, ports[at]!);
    const made = await run("sh", [join(deploy, "ha/certificates.sh"), stand.#pki, ...hosts]);
    expect(made.code, made.stderr).toBe(0);
    return stand;
  }

  names(sort: Sort): string[] {
    return Object.keys(this.compose.services).filter((name) => sortOf(name) === sort);
  }

  port(name: string, inside: number): number {
    const port = this.#ports.get(`${name}:${inside}`);
    if (port === undefined) throw new Error(`${name} does not listen on ${inside}`);
    return port;
  }

  pki(name: string): string {
    return join(this.#pki, name);
  }

  /** `text` as it is inside of the container of `name`, made to fit this machine. */
  here(name: string, text: string): string {
    const { volumes = [] } = this.compose.services[name]!;
    let local = text.replaceAll(
      /([a-z0-9.]+):(2379|2380|6443)\b/g,
      (_all, host: string, inside: string) =>
        `127.0.0.1:${this.port(host === "0.0.0.0" ? name : host, Number(inside))}`,
    );
    const mounts = [...volumes.map((volume) => volume.split(":")), ["own", "/data"]];
    for (const [source = "", target = ""] of mounts) {
      const own = source === "./pki" ? this.#pki : join(folder, name);
      local = local.replaceAll(new RegExp(`(?<==)${target}\\b`, "g"), own);
    }
    return local;
  }

  commandOf(name: string): string[] {
    return (this.compose.services[name]?.command ?? []).map((argument) => this.here(name, argument));
  }

  async startEtcd(name: string): Promise<void> {
    const [program, ...args] = this.commandOf(name);
    expect(program).toBe("etcd");
    const own = join(folder, name);
    mkdirSync(own);
    // A single member needs no address for others; this machine may have one on the usual port.
    const peer = `http://127.0.0.1:${this.port(name, 2380)}`;
    const alone = ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer];
    const isAlone = !args.some((argument) => argument.startsWith("--listen-peer-urls"));
    const port = this.port(name, 2379);
    const member = createMember(etcd!, {
      endpoint: `https://127.0.0.1:${port}`,
      port,
      args: [...args, ...(isAlone ? alone : []), "--log-level=error"],
      folder: own,
    });
    members.add(member);
    await member.start();
  }

  /** A server or a controller manager, with the entry point of the image. */
  startOrch(name: string): ChildProcess {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    const dockerfile = readFileSync(join(deploy, "docker/Dockerfile"), "utf8");
    const [program, script] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
    expect([program, script]).toEqual(["node", "/app/bin/orch"]);
    const [inside] = containerPorts[sortOf(name)];
    const args = [...this.commandOf(name), "--bind-address=127.0.0.1", `--secure-port=${this.port(name, inside)}`];
    const child = spawn(process.execPath, [resolve("bin/orch"), ...args], { stdio: ["ignore", "ignore", "pipe"] });
    processes.add(child);
    return child;
  }

  /** Runs the HEALTHCHECK of the image until it succeeds. */
  async healthy(name: string, child: ChildProcess): Promise<void> {
    let complaint = "";
    child.stderr?.on("data", (chunk) => {
      complaint = `${complaint}${chunk}`.slice(-2_000);
    });
    const dockerfile = readFileSync(join(deploy, "docker/Dockerfile"), "utf8");
    const [program, script = ""] = JSON.parse(/^HEALTHCHECK .* CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
    expect(program).toBe("node");
    const file = join(deploy, "docker", script.replace("/app/", ""));
    const [inside] = containerPorts[sortOf(name)];
    const usual = /"(https:[^"]*)"/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
    const url = this.compose.services[name]?.environment?.["ORCH_HEALTH_URL"] ?? usual;
    expect(url).toContain(`:${inside}/`);
    const port = this.port(name, inside);
    const env = { ORCH_HEALTH_URL: url.replace(String(inside), String(port)) };
    const ended = () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${complaint}`);
    };
    // Each check is a process, which takes from the services that are starting: before something listens, none is started.
    const listens = () => {
      ended();
      return isListening(port);
    };
    await expect.poll(listens, { timeout: 60_000, interval: 100 }).toBe(true);
    const check = async () => {
      ended();
      return (await run(process.execPath, [file], { env })).code;
    };
    await expect.poll(check, { timeout: 60_000, interval: 1_000 }).toBe(0);
  }

  async startAll(): Promise<Map<string, ChildProcess>> {
    await Promise.all(this.names("etcd").map((name) => this.startEtcd(name)));
    const servers = new Map(this.names("orch").map((name) => [name, this.startOrch(name)]));
    await Promise.all([...servers].map(([name, child]) => this.healthy(name, child)));
    return servers;
  }

  async startManagers(): Promise<void> {
    const managers = this.names("manager").map((name) => [name, this.startOrch(name)] as const);
    expect(managers.length).toBeGreaterThan(0);
    await Promise.all(managers.map(([name, child]) => this.healthy(name, child)));
  }

  /** The administrator's configuration as the script made it, but for the port. */
  adminConfig(port: number): string {
    const text = readFileSync(this.pki("admin.conf"), "utf8");
    expect(text).toContain("https://127.0.0.1:6443");
    writeFileSync(this.pki("admin-here.conf"), text.replace("127.0.0.1:6443", `127.0.0.1:${port}`));
    return this.pki("admin-here.conf");
  }

  /** Asks as the administrator, with the certificate that the script made, and checks that of the server. */
  async ask(port: number, method: string, path: string, body?: unknown): Promise<number> {
    const [ca, cert, key] = ["ca.crt", "admin.crt", "admin.key"].map((name) => readFileSync(this.pki(name)));
    const agent = new Agent({ ca, cert, key });
    const outcome = await call({ port, agent }, method, path, { body, token: null });
    agent.destroy();
    return outcome.kind === "answer" ? outcome.status : 0;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", () => done(false));
  });
}

const secrets = "/api/v1/namespaces/default/secrets";

describe.skipIf(etcd === undefined || !openssl.isThere())("the services of the compose files", () => {
  for (const [file, hosts] of [
    ["compose/compose.yaml", ["orch", "localhost", "127.0.0.1"]],
    ["ha/compose.yaml", ["orch1", "orch2", "orch3", "lb"]],
  ] as const) {
    test(`of ${file} start with their command lines, and serve each other's objects`, async () => {
      const stand = await Stand.open(file, hosts);
      // How the file says that the certificates are made, and what it mounts and publishes.
      expect(readFileSync(join(deploy, file), "utf8")).toContain(`/pki ${hosts.join(" ")}`);
      for (const [name, { volumes = [], ports = [] }] of Object.entries(stand.compose.services)) {
        for (const [source = ""] of volumes.map((volume) => volume.split(":"))) {
          const exists =
            source === "./pki" || source in stand.compose.volumes || existsSync(join(deploy, file, "..", source));
          expect([name, source, exists]).toEqual([name, source, true]);
        }
        for (const published of ports)
          expect(containerPorts[sortOf(name)]).toContain(Number(published.split(":").at(-1)));
      }
      const servers = await stand.startAll();
      const direct = [...servers.keys()].map((name) => stand.port(name, 6443));
      expect(await stand.ask(direct[0]!, "POST", secrets, { metadata: { name: "s" }, stringData: { a: "b" } })).toBe(
        201,
      );
      for (const port of direct) expect(await stand.ask(port, "GET", `${secrets}/s`)).toBe(200);
      const [balancer] = stand.names("lb");
      if (balancer !== undefined && !existsSync(haproxy)) return;
      const front = balancer === undefined ? direct[0]! : await startBalancer(stand, balancer);
      await stand.startManagers();
      const config = stand.adminConfig(front);
      await createWorkloads(config);
      // A scheduler and nodes know nothing of how many servers there are.
      if (balancer === undefined) await rollOut(config);
      if (balancer !== undefined) await losesAServer(stand, front, servers);
    }, 240_000);
  }
});

const readDeployPage = () => readFileSync(join(deploy, "README.md"), "utf8");

/** Runs the commands of deploy/README.md: the controllers create the pods of a Deployment, and finish the deletion of a namespace. */
async function createWorkloads(config: string): Promise<void> {
  const page = readDeployPage();
  const [, block = ""] = /^export KUBECONFIG=deploy\/ha\/pki\/admin.conf\n([^`]*)```$/m.exec(page) ?? [];
  const commands = block.split("\n").filter((line) => line !== "");
  expect(commands.length).toBeGreaterThan(2);
  let output = "";
  for (const command of commands) {
    const [program, ...args] = command.split(/\s+/);
    expect(program).toBe("ctl");
    const ran = await run(process.execPath, [resolve("bin/ctl"), ...args], { env: { KUBECONFIG: config } });
    expect([command, ran.code], ran.stderr).toEqual([command, 0]);
    output = ran.stdout;
  }
  expect(output.match(/^pod\/web-\w+-\w+ +0\/1 +Pending /gm)).toHaveLength(2);
}

/** With the scheduler and the simulated nodes of deploy/README.md the Deployment is rolled out. */
async function rollOut(config: string): Promise<void> {
  const page = readDeployPage();
  const env = { ...process.env, KUBECONFIG: config };
  const [, inBackground = "", last = ""] = /^(orch scheduler & .*) &\nctl (rollout .*)$/m.exec(page) ?? [];
  for (const command of inBackground.split(" & "))
    processes.add(
      spawn(process.execPath, [resolve("bin/orch"), ...command.split(" ").slice(1)], { env, stdio: "ignore" }),
    );
  const rolledOut = await run(process.execPath, [resolve("bin/ctl"), ...last.split(" ")], {
    env: { KUBECONFIG: config },
  });
  expect(rolledOut.stdout, rolledOut.stderr).toContain('deployment "web" successfully rolled out');
}

/** haproxy with the file of the example. */
async function startBalancer(stand: Stand, balancer: string): Promise<number> {
  const text = readFileSync(join(deploy, "ha/haproxy.cfg"), "utf8");
  const own = join(folder, "haproxy.cfg");
  const port = stand.port(balancer, 6443);
  writeFileSync(own, stand.here(balancer, text).replace("bind :6443", `bind 127.0.0.1:${port}`));
  processes.add(spawn(haproxy, ["-db", "-f", own], { stdio: "ignore" }));
  await expect.poll(() => stand.ask(port, "GET", `${secrets}/s`)).toBe(200);
  return port;
}

/** Clients of the balancer go on when a server is killed. */
async function losesAServer(stand: Stand, port: number, servers: Map<string, ChildProcess>): Promise<void> {
  const ask = () => stand.ask(port, "GET", `${secrets}/s`);
  servers.values().next().value?.kill("SIGKILL");
  // A connection that is refused goes to the next server at once; one that was open is lost, and how long that takes depends on the machine.
  const askFiveTimes = async () => {
    const codes: number[] = [];
    for (let time = 0; time < 5; time += 1) codes.push(await ask());
    return codes;
  };
  await expect.poll(askFiveTimes).toEqual([200, 200, 200, 200, 200]);
}
