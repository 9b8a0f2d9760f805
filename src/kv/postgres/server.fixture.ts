/** A real PostgreSQL for tests: a cluster in a temporary folder, run by an ordinary user, which can be killed and restarted. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePostgresTarget } from "./target.ts";

export interface TestPostgres {
  readonly port: number;
  /** Of the process that has started all others, and leads their group. */
  pid(): number;
  /** Of a database and a user; default: the administrator's. */
  address(user?: string, database?: string): string;
  /** Runs SQL as the administrator, and returns what it prints. */
  sql(text: string, database?: string): string;
  /** SIGKILL of the server with all its processes: as a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Makes a primary of a replica. */
  promote(): void;
  /** A replica that receives nothing more and applies nothing more, although it is there. */
  stopFollowing(): void;
  remove(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Follows this one, as a replica. */
  readonly follows?: TestPostgres;
}

const parent = "/usr/lib/postgresql";

/** The folder of the newest installed programs. Undefined: there are none, and a hint was printed. */
export function findPostgres(): string | undefined {
  const releases = existsSync(parent) ? readdirSync(parent) : [];
  const found = releases
    .sort((a, b) => Number(b) - Number(a))
    .map((release) => join(parent, release, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
  if (found !== undefined) return found;
  const advice = "PostgreSQL is not installed; on Debian run: apt-get install postgresql";
  if (process.env["CI"] === "true") throw new Error(advice);
  console.warn(`The tests of the PostgreSQL store are skipped: ${advice}`);
  return undefined;
}

/** PostgreSQL refuses to run as root. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export async function startTestPostgres(programs: string, options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  chmodSync(folder, 0o700);
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const port = await freePort();
  const data = join(folder, "data");
  const run = (program: string, args: readonly string[], input?: string): string => {
    const result = spawnSync(join(programs, program), args, {
      ...owner,
      cwd: folder,
      input,
      encoding: "utf8",
      env: { ...process.env, HOME: folder },
    });
    if (result.status !== 0) throw new Error(`${program} failed: ${result.stderr}`);
    return result.stdout;
  };
  if (options.follows === undefined) {
    run("initdb", ["-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]);
  } else {
    run("pg_basebackup", [
      "-D",
      data,
      "-R",
      "-X",
      "stream",
      "-c",
      "fast",
      "--no-sync",
      "-d",
      `${options.follows.address()}?application_name=replica`,
    ]);
  }
  const settings = [
    `port = ${port}`,
    `unix_socket_directories = '${folder}'`,
    "listen_addresses = '127.0.0.1'",
    "shared_buffers = 16MB",
    "fsync = off",
  ];
  appendFileSync(join(data, "postgresql.conf"), `\n${[...settings, ...(options.settings ?? [])].join("\n")}\n`);
  let child: ChildProcess | undefined;
  const postgres: TestPostgres = {
    port,
    pid: () => child!.pid!,
    address: (user = "admin", database = "postgres") => `postgres://${user}@127.0.0.1:${port}/${database}`,
    sql: (text, database = "postgres") =>
      run(
        "psql",
        [
          "-X",
          "-A",
          "-t",
          "-q",
          "-v",
          "ON_ERROR_STOP=1",
          "-h",
          folder,
          "-p",
          String(port),
          "-U",
          "admin",
          "-d",
          database,
        ],
        text,
      ).trim(),
    async kill() {
      const running = child;
      if (running === undefined) return;
      child = undefined;
      const ended = new Promise((resolve) => running.once("close", resolve));
      process.kill(-running.pid!, "SIGKILL");
      await ended;
    },
    async start() {
      // A group of its own, so that `kill` reaches the processes of all connections.
      const started = spawn(join(programs, "postgres"), ["-D", data], {
        ...owner,
        cwd: folder,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      child = started;
      let log = "";
      started.stderr!.on("data", (part) => {
        log = (log + part).slice(-10_000);
      });
      await isReady(
        () => run("pg_isready", ["-h", "127.0.0.1", "-p", String(port)]),
        () => (started.exitCode === null ? undefined : log),
      );
    },
    promote: () => void run("pg_ctl", ["promote", "-D", data, "-w"]),
    stopFollowing: () =>
      void postgres.sql("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'; SELECT pg_reload_conf()"),
    async remove() {
      await postgres.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await postgres.start();
  return postgres;
}

/** A database of its own for one store. */
export function makeDatabase(postgres: TestPostgres): {
  readonly name: string;
  address(user?: string): string;
  drop(): void;
} {
  const name = `d${Math.random().toString(36).slice(2)}`;
  postgres.sql(`CREATE DATABASE ${name}`);
  return {
    name,
    address: (user) => postgres.address(user, name),
    drop: () => void postgres.sql(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

export const targetOf = (address: string) => parsePostgresTarget(address);

async function isReady(ask: () => string, hasEnded: () => string | undefined): Promise<void> {
  for (;;) {
    const end = hasEnded();
    if (end !== undefined) throw new Error(`postgres has ended: ${end}`);
    try {
      ask();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
