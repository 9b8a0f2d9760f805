/** A server in a process of its own for one file of attacks, and an honest client beside them. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Answer as JsonAnswer } from "../answer.ts";
import { probe } from "./probe.ts";

export interface RequestOptions {
  readonly method?: string;
  /** "": no credential. Default: the admin's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly bytes?: string | Buffer;
  readonly type?: string;
  /** Given: a connection of its own, with these options. */
  readonly tls?: ConnectionOptions;
}

export interface Answer extends JsonAnswer {
  readonly bytes: Buffer;
}

export interface RawAnswer {
  readonly text: string;
  /** Of every answer that came. */
  readonly statuses: readonly number[];
  /** Whether the server closed the connection. */
  readonly closed: boolean;
}

export interface TargetOptions {
  /** More lines of the token file. */
  readonly tokens?: readonly string[];
  /** What is started. "up" has the controllers too. Default: "apiserver". */
  readonly command?: "apiserver" | "up";
  /** Whether turns of the event loop that take more than 100 ms are reported with the calls that took the time. Default: false. */
  readonly explainsTurns?: boolean;
  /** More flags; may write files into the folder first. */
  readonly flags?: (folder: string) => readonly string[] | Promise<readonly string[]>;
}

export interface Target {
  readonly port: number;
  request(path: string, options?: RequestOptions): Promise<Answer>;
  /** The same with a body in JSON. */
  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer>;
  connect(options?: ConnectionOptions): Promise<TLSSocket>;
  /** Writes bytes on a connection of their own and gathers what comes back until it is closed or quiet. */
  raw(bytes: string | Buffer, options?: RawOptions): Promise<RawAnswer>;
  /** Runs an attack while an honest client asks again and again; it must be answered each time. */
  beside<T>(attack: () => Promise<T>): Promise<T>;
  /** How much the server works while one honest request on an open connection waits for its answer, in milliseconds of processor time. */
  honestMs(): Promise<number>;
  /** Everything the server has printed. */
  log(): string;
  rssBytes(): Promise<number>;
  /** What is in use after a collection: the heap, and buffers outside of it. */
  usedBytes(): Promise<number>;
  signal(name: NodeJS.Signals): void;
  /** What an attack costs the server. */
  cost<T>(attack: () => Promise<T>): Promise<Cost & { readonly result: T }>;
}

interface RawOptions {
  /** How long nothing comes before the connection is ended. */
  readonly quietMs?: number;
  /** How many answers come for sure: a busy machine has time for them. Default: 0. */
  readonly answers?: number;
  readonly tls?: ConnectionOptions;
}

const statusesIn = (chunks: readonly Buffer[]): number[] =>
  [
    ...Buffer.concat(chunks)
      .toString("latin1")
      .matchAll(/HTTP\/1\.1 ([0-9]{3}) /g),
  ].map(([, code]) => Number(code));

/** Processor time, which the work of others on the machine changes little. */
export interface Cost {
  readonly totalMs: number;
  /** The longest time in which no other client was served. */
  readonly longestTurnMs: number;
  /** With `explainsTurns`: turns of more than 100 ms since the server was ready, each with its calls. */
  readonly longTurns: readonly string[];
}

export const adminToken = "admin-token-of-the-suite";
/** Authenticated, but without any right that is not given in a case. */
export const aliceToken = "alice-token-of-the-suite";

/** Processor time of the server while an honest client waits: other work on the machine makes the client wait, but does not count. */
const honestMsMax = 5_000;
/** Turns that take longer are explained: what is promised for a machine that has nothing else to do. */
const explainedMsMin = 100;
/** By the clock, so that a server which gets little of the machine has time too. */
const requestMsMax = 120_000;
const startMsMax = 30_000;

/** The aim is 100 ms on a machine that has nothing else to do; on one that is shared the same work takes several times as long. */
export const turnMsMax = 500;
/** Whether the aim itself is the limit. */
const isStrict = process.env["LONG_TESTS"] !== undefined || process.env["ORCH_LONG_TURNS"] !== undefined;

/** That no turn of a server with `explainsTurns` took too long. */
export function checkTurns({ longestTurnMs, longTurns }: Cost): void {
  if (isStrict) expect(longTurns).toEqual([]);
  else expect([longestTurnMs < turnMsMax, longTurns]).toEqual([true, expect.anything()]);
}

/** Starts the server before the first case of the file, looks after each that it is sound, and stops it at the end. */
export function useTarget(options: TargetOptions = {}): Target {
  const target = new ProcessTarget();
  beforeAll(() => target.start(options));
  afterEach(() => target.checkSound());
  afterAll(() => target.stop());
  return target;
}

class ProcessTarget implements Target {
  port = 0;
  #folder = "";
  #child: ChildProcess | undefined;
  #output = "";
  #exit: number | string | undefined;
  /** Where the server reports them; "": nowhere. */
  #longTurns = "";
  /** Answers of 500 and above since the last look, as "METHOD path: status". */
  #failures: string[] = [];
  /** Most cases are not about connections, and a handshake costs more than most requests. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 50, rejectUnauthorized: false });

  async start({ tokens = [], flags, command = "apiserver", explainsTurns = false }: TargetOptions): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), "orch-hostile-"));
    const lines = [`${adminToken},admin,1,"system:masters"`, `${aliceToken},alice,2,"tenants"`, ...tokens];
    const tokenFile = join(this.#folder, "tokens.csv");
    await writeFile(tokenFile, `${lines.join("\n")}\n`, { mode: 0o600 });
    const args = [
      "--import",
      `data:text/javascript,${encodeURIComponent(probe)}`,
      resolve("bin/orch"),
      command,
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      "--store=memory",
      ...(command === "up"
        ? [`--data-dir=${join(this.#folder, "data")}`]
        : ["--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount", `--cert-dir=${this.#folder}`]),
      `--token-auth-file=${tokenFile}`,
      ...((await flags?.(this.#folder)) ?? []),
    ];
    if (explainsTurns) this.#longTurns = join(this.#folder, "long-turns.jsonl");
    const env = explainsTurns
      ? { ...process.env, ORCH_LONG_TURNS: `${explainedMsMin},${this.#longTurns}` }
      : process.env;
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe", "ipc"], env });
    this.#child = child;
    const keep = (chunk: Buffer) => {
      this.#output += chunk.toString("utf8");
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.once("exit", (code, signal) => {
      this.#exit = code ?? signal ?? "unknown";
    });
    for (const begin = performance.now(); this.port === 0; ) {
      if (this.#exit !== undefined || performance.now() - begin > startMsMax) {
        throw new Error(`the server did not start: ${this.#output}`);
      }
      this.port = Number(/https:\/\/127\.0\.0\.1:([0-9]+)/.exec(this.#output)?.[1] ?? 0);
      if (this.port === 0) await pause(10);
    }
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const child = this.#child;
    if (child !== undefined && this.#exit === undefined) {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Alive, answering, without an answer of 500 and without an error in its log. */
  async checkSound(): Promise<void> {
    expect(this.#exit, `the server ended: ${this.#output.slice(-2_000)}`).toBeUndefined();
    await this.#askHonestly();
    const errors = this.#output.split("\n").filter((line) => line.includes('"level":"error"'));
    expect([this.#failures, errors]).toEqual([[], []]);
    this.#failures = [];
  }

  async #askHonestly(): Promise<void> {
    expect(await this.honestMs({ tls: {} })).toBeLessThan(honestMsMax);
  }

  async honestMs(options: RequestOptions = {}): Promise<number> {
    const begin = await this.#workedMs();
    const { status } = await this.request("/api/v1/namespaces/default", options);
    expect(status).toBe(200);
    return (await this.#workedMs()) - begin;
  }

  /** Processor time of the thread of the event loop. Only Linux tells it; elsewhere the time of the clock. */
  async #workedMs(): Promise<number> {
    const pid = this.#child?.pid;
    const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "latin1").catch(() => undefined);
    return text === undefined ? performance.now() : Number(text.split(" ")[0]) / 1e6;
  }

  request(path: string, options: RequestOptions = {}): Promise<Answer> {
    const { method = "GET", token = adminToken, headers = {}, body, bytes, type, tls } = options;
    const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const given = {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(sent === undefined
        ? {}
        : { "content-type": type ?? "application/json", "content-length": Buffer.byteLength(sent) }),
      ...headers,
    };
    return new Promise((done, fail) => {
      const call = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path,
          method,
          headers: given,
          agent: tls === undefined ? this.#agent : false,
          rejectUnauthorized: false,
          ...tls,
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", fail);
          answer.on("end", () => {
            const received = Buffer.concat(chunks);
            const text = received.toString("utf8");
            const status = answer.statusCode ?? 0;
            if (status >= 500) this.#failures.push(`${method} ${path.slice(0, 200)}: ${status} ${text.slice(0, 300)}`);
            const isJson = String(answer.headers["content-type"]).includes("json");
            const value = isJson && text !== "" ? JSON.parse(text) : undefined;
            done({ status, headers: answer.headers, bytes: received, text, body: value });
          });
        },
      );
      // A server that refuses a body without reading it may close the connection right after its answer.
      let answered = false;
      call.on("response", () => {
        answered = true;
      });
      call.on("error", (error) => {
        if (!answered) fail(error);
      });
      call.setTimeout(requestMsMax, () => call.destroy(new Error(`${method} ${path.slice(0, 100)} took too long`)));
      call.end(sent);
    });
  }

  post(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request(path, { method: "POST", body, ...options });
  }

  connect(options: ConnectionOptions = {}): Promise<TLSSocket> {
    return new Promise((done, fail) => {
      const socket = connectTls({
        host: "127.0.0.1",
        port: this.port,
        rejectUnauthorized: false,
        ALPNProtocols: ["http/1.1"],
        ...options,
      });
      socket.once("secureConnect", () => {
        socket.off("error", fail);
        socket.on("error", () => {});
        done(socket);
      });
      socket.once("error", fail);
    });
  }

  async raw(bytes: string | Buffer, { quietMs = 2_000, answers = 0, tls = {} }: RawOptions = {}): Promise<RawAnswer> {
    const socket = await this.connect(tls);
    return await new Promise((done) => {
      const chunks: Buffer[] = [];
      let closed = false;
      const patienceMs = () => (statusesIn(chunks).length < answers ? requestMsMax : quietMs);
      socket.setTimeout(patienceMs(), () => socket.destroy());
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        socket.setTimeout(patienceMs());
      });
      socket.once("end", () => {
        closed = true;
      });
      socket.once("close", () => {
        const text = Buffer.concat(chunks).toString("latin1");
        const statuses = statusesIn(chunks);
        for (const status of statuses) if (status >= 500) this.#failures.push(`raw: ${text.slice(0, 300)}`);
        done({ text, statuses, closed });
      });
      socket.write(bytes);
    });
  }

  async beside<T>(attack: () => Promise<T>): Promise<T> {
    let over = false;
    const honest = (async () => {
      while (!over) {
        await this.#askHonestly();
        await pause(50);
      }
    })();
    // Checked below; until then a rejection is expected.
    honest.catch(() => {});
    try {
      return await attack();
    } finally {
      over = true;
      await honest;
    }
  }

  log(): string {
    return this.#output;
  }

  async cost<T>(attack: () => Promise<T>): Promise<Cost & { readonly result: T }> {
    await this.#used();
    const result = await attack();
    return { ...(await this.#used()), result };
  }

  /** Since it was asked last. */
  async #used(): Promise<Cost> {
    const cost = await new Promise<Omit<Cost, "longTurns">>((done) => {
      this.#child?.once("message", (cost) => done(cost as Cost)); // the probe sends nothing else
      this.#child?.send("cost");
    });
    const longTurns = this.#longTurns === "" ? "" : await readFile(this.#longTurns, "utf8").catch(() => "");
    await rm(this.#longTurns, { force: true });
    return { ...cost, longTurns: longTurns.split("\n").filter((line) => line !== "") };
  }

  usedBytes(): Promise<number> {
    return new Promise((done) => {
      this.#child?.once("message", (answer) => done((answer as { usedBytes: number }).usedBytes));
      this.#child?.send("memory");
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async rssBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#child?.pid}/status`, "utf8");
    return Number(/VmRSS:\s+([0-9]+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Repeatable chance: a failed run can be run again with the same seed. */
export function createChance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
