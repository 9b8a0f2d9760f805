/** Kills servers at any moment of what they do to their store, and looks in the store for everything they acknowledged. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { adminToken, call } from "../cluster/call.ts";
import { freePort } from "../e2e/programs.ts";
import { KeptWrites } from "./kept-writes.ts";
import { levelInStore, type StorePlace, writeEncryptionFile, writtenObjects } from "./server-store.ts";

/** What a server is doing when it is killed. */
export const killMoments = [
  "starting",
  "starting at a higher level",
  "writing",
  "rewriting with another key",
  "sending a backup",
  "migrating stored versions",
] as const;
type KillMoment = (typeof killMoments)[number];

export interface ServerKillOptions {
  /** They take turns; absent: all of them. */
  readonly moments?: readonly KillMoment[];
  readonly rounds: number;
  readonly seed: number;
  /** The address of an etcd that nobody else uses; absent: the embedded store. */
  readonly etcd?: string;
  onRound?(done: number): void;
}

export interface ServerKillReport {
  readonly kills: ReadonlyMap<KillMoment, number>;
  readonly acknowledged: number;
}

/** How many kills a store goes through before a new one at the lower level is used. */
const roundsPerStore = 12;
const clients = 4;
const namesEach = 12;
const startMsMax = 120_000;
const writingMsMax = 3_000;
const startAttemptsMax = 5;

/** Throws at the first broken promise, with the seed that repeats it. */
export async function runServerKills(options: ServerKillOptions): Promise<ServerKillReport> {
  const { moments = killMoments, rounds, seed, etcd, onRound } = options;
  const kills = new Map<KillMoment, number>();
  const parent = mkdtempSync(join(tmpdir(), "orch-kills-"));
  let acknowledged = 0;
  let place: Place | undefined;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const moment = moments[round % moments.length]!;
      if (place === undefined || round % roundsPerStore === 0) place = new Place(join(parent, String(round)), etcd);
      const random = seededRandom(seed + round);
      const before = place.kept.acknowledged;
      await place.killOnce(moment, random, round).catch((error: unknown) => {
        throw new Error(`round ${round} (seed ${seed}, ${moment}) broke a promise`, { cause: error });
      });
      acknowledged += place.kept.acknowledged - before;
      kills.set(moment, (kills.get(moment) ?? 0) + 1);
      onRound?.(round + 1);
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
  return { kills, acknowledged };
}

class Place implements StorePlace {
  readonly folder: string;
  readonly encryptionFile: string;
  readonly etcd: { readonly endpoint: string; readonly prefix: string } | undefined;
  readonly kept = new KeptWrites();

  constructor(folder: string, etcd: string | undefined) {
    this.folder = folder;
    mkdirSync(folder, { mode: 0o700 });
    this.encryptionFile = join(folder, "encryption.json");
    this.etcd = etcd === undefined ? undefined : { endpoint: etcd, prefix: folder };
    writeFileSync(join(folder, "tokens.csv"), `${adminToken},admin,1,"system:masters"\n`, { mode: 0o600 });
  }

  async killOnce(moment: KillMoment, random: () => number, round: number): Promise<void> {
    writeEncryptionFile(this.encryptionFile, round % 2);
    const known = await levelInStore(this);
    const level = moment === "starting at a higher level" || moment === "migrating stored versions" ? "1.35" : known;
    const server = await (moment.startsWith("starting") ? this.#start(level) : this.#startReady(level));
    try {
      if (moment.startsWith("starting")) {
        await delay(random() * 1_500);
      } else {
        const writing = Array.from({ length: clients }, (_, client) => this.#write(server, client, random));
        await this.#acknowledge(Math.floor(random() * 60));
        const work = this.#begin(moment, server);
        await delay(random() * 80);
        server.child.kill("SIGKILL");
        await Promise.all([...writing, work]);
      }
    } finally {
      server.child.kill("SIGKILL");
      await server.ended;
      server.agent.destroy();
    }
    if (server.child.signalCode !== "SIGKILL" && !isEtcdBusy(server))
      throw new Error(`the server ended by itself: ${server.output()}`);
    this.kept.verify(await writtenObjects(this));
  }

  /** Waits for so many writes, or until the machine is too busy for them. */
  async #acknowledge(writes: number): Promise<void> {
    const due = this.kept.acknowledged + writes;
    for (const deadline = Date.now() + writingMsMax; this.kept.acknowledged < due && Date.now() < deadline; )
      await delay(5);
  }

  /** What the moment names, beside the writes of the clients; resolves in any case. */
  #begin(moment: KillMoment, server: Server): Promise<unknown> {
    if (moment === "rewriting with another key") return call(server, "POST", "/reencrypt");
    if (moment === "sending a backup") return call(server, "GET", "/backup");
    if (moment !== "migrating stored versions") return Promise.resolve();
    const body = { metadata: { generateName: "all-" }, spec: { resource: { group: "", resource: "secrets" } } };
    return call(server, "POST", "/apis/storagemigration.orch.io/v1beta1/storageversionmigrations", { body });
  }

  /** One client with names of its own, until the server does not answer any more. */
  async #write(server: Server, client: number, random: () => number): Promise<void> {
    for (let step = 0; server.child.exitCode === null && server.child.signalCode === null; step += 1) {
      const name = `client${client}-${Math.floor(random() * namesEach)}`;
      const resource = random() < 0.5 ? "configmaps" : "secrets";
      const key = `/core/${resource}/default/${name}`;
      const exists = this.kept.get(key) !== undefined;
      const content = exists && random() < 0.2 ? undefined : `${client}.${step}.${random()}`;
      const path = `/api/v1/namespaces/default/${resource}`;
      const body = { metadata: { name, labels: { kept: "yes" }, annotations: { content } } };
      const confirm = this.kept.attempt(key, content);
      const method = content === undefined ? "DELETE" : exists ? "PUT" : "POST";
      const outcome = await call(
        server,
        method,
        exists ? `${path}/${name}` : path,
        content === undefined ? {} : { body },
      );
      if (outcome.kind === "lost") return;
      if (outcome.status < 300) confirm();
      else if (outcome.status < 500 && outcome.status !== 429)
        throw new Error(`${method} ${key}: ${outcome.status} ${outcome.body.message}`);
    }
  }

  /** On a busy machine etcd may not answer in time; then the server says so and is started again. */
  async #startReady(level: string): Promise<Server> {
    for (let attempt = 1; ; attempt += 1) {
      const server = await this.#start(level);
      try {
        await server.ready();
        return server;
      } catch (error) {
        server.child.kill("SIGKILL");
        if (!isEtcdBusy(server) || attempt === startAttemptsMax) throw error;
      }
    }
  }

  async #start(level: string): Promise<Server> {
    const port = await freePort();
    const gates = "--feature-gates=APIServerIdentity=true,StorageVersionAPI=true,StorageVersionMigrator=true";
    const flags = [
      ...["--bind-address=127.0.0.1", `--secure-port=${port}`, `--cert-dir=${join(this.folder, "certs")}`],
      ...["--authorization-mode=RBAC", `--token-auth-file=${join(this.folder, "tokens.csv")}`],
      ...[`--encryption-provider-config=${this.encryptionFile}`, `--emulated-version=${level}`],
      "--kvstore-compaction-interval=1s",
      ...(level === "1.35" ? [gates, "--runtime-config=storagemigration.orch.io/v1beta1=true"] : []),
      ...(this.etcd === undefined
        ? [`--data-dir=${this.folder}`]
        : [`--kvstore-servers=${this.etcd.endpoint}`, `--kvstore-prefix=${this.etcd.prefix}`]),
    ];
    const child = spawn(process.execPath, [resolve("bin/orch"), "apiserver", ...flags]);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
    const server = { port, agent, child, ended, output: () => text.slice(-4_000), ready: () => isReady(server) };
    return server;
  }
}

interface Server {
  readonly port: number;
  readonly agent: Agent;
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  output(): string;
  ready(): Promise<void>;
}

const isEtcdBusy = (server: Server): boolean => server.output().includes("etcd cannot be reached");

/** A server that follows a killed one must start: whatever was left behind. */
async function isReady(server: Server): Promise<void> {
  for (const deadline = Date.now() + startMsMax; Date.now() < deadline; await delay(20)) {
    const ready = await call(server, "GET", "/readyz", { timeoutMs: 2_000 });
    if (ready.kind === "answer" && ready.status === 200) return;
    if (server.child.exitCode !== null) break;
  }
  throw new Error(`the server did not start: ${server.output()}`);
}

function delay(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
