/** Runs commands in a test with a server in this process, and captures their output. */

import { setMaxListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { type CreateServerOptions, createServer, kinds, type OrchServer } from "../main/library.ts";
import type { ProgramEnvironment, Sink } from "./environment.ts";
import { runCtl } from "./program.ts";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** A terminal that does not know its size, as behind some serial lines and test tools. */
  readonly hasNoSize?: boolean;
  /** Interrupts the command as soon as it has printed this. */
  readonly stopAt?: string;
  readonly program?: string;
  /** Lines that the user types. */
  readonly lines?: readonly string[];
  /** Another server than that of the session. */
  readonly fetch?: NonNullable<ProgramEnvironment["fetch"]>;
  /** Reaches a server as a process does, by the client configuration that `env` or a flag names. */
  readonly isConfigured?: boolean;
  /** Called with all output so far whenever something is printed. */
  readonly onOut?: (text: string) => void;
  /** The built page of the console; absent: there is none. */
  readonly consoleFolder?: string;
  /** Interrupts the command. */
  readonly signal?: AbortSignal;
  /** The clock of the command. */
  readonly clock?: Clock;
}

export interface Session extends AsyncDisposable {
  readonly server: OrchServer;
  readonly folder: string;
  /** A command line as a text, split at spaces, or as a list of words. */
  run(line: string | readonly string[], options?: RunOptions): Promise<Outcome>;
  /** The output of a command that must succeed. */
  ok(line: string | readonly string[], options?: RunOptions): Promise<string>;
  /** Writes a file into the folder of the session, and returns its path. */
  file(name: string, content: string): string;
}

export async function openSession(program = "kubectl", options: CreateServerOptions = {}): Promise<Session> {
  const server = await createServer({
    controllers: false,
    vocabulary: program === "kubectl" ? "kubernetes" : "orch",
    ...options,
  });
  const folder = mkdtempSync(join(tmpdir(), "orch-ctl-"));
  const session: Session = {
    server,
    folder,
    async run(line, run = {}) {
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      run.signal?.addEventListener("abort", () => stop.abort(), { once: true });
      const out = sink(run.isTerminal === true, run.hasNoSize !== true, (text) => {
        run.onOut?.(text);
        if (run.stopAt !== undefined && text.includes(run.stopAt)) stop.abort();
      });
      const err = sink(run.isTerminal === true, run.hasNoSize !== true);
      const lines = [...(run.lines ?? [])];
      const environment: ProgramEnvironment = {
        program: run.program ?? program,
        env: { PATH: process.env["PATH"], ...run.env },
        cwd: folder,
        home: folder,
        stdin: {
          isTerminal: run.lines !== undefined,
          readAll: async () => run.input ?? "",
          readLine: async () => lines.shift(),
          async *chunks() {
            if (run.input !== undefined) yield Buffer.from(run.input);
          },
        },
        stdout: out,
        stderr: err,
        clock: run.clock ?? systemClock,
        signal: stop.signal,
        fetch: run.isConfigured === true ? undefined : (run.fetch ?? ((path, init) => server.fetch(path, init))),
        startServer: (offline) => createServer({ ...offline, controllers: false }),
        loadKinds: async () => Object.values(kinds),
        consoleFolder: run.consoleFolder,
        softwareVersion: "0.0.0",
        apiReleases: ["v1.21.14", "v1.35.8"],
      };
      const code = await runCtl(typeof line === "string" ? line.split(" ") : line, environment);
      return { code, out: out.text, err: err.text };
    },
    async ok(line, run) {
      const outcome = await session.run(line, run);
      if (outcome.code !== 0) throw new Error(`${String(line)} ended with ${outcome.code}: ${outcome.err}`);
      return outcome.out;
    },
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return session;
}

function sink(
  isTerminal: boolean,
  hasSize: boolean,
  onText: (text: string) => void = () => {},
): Sink & { text: string } {
  return {
    text: "",
    isTerminal,
    columns: isTerminal && hasSize ? 100 : undefined,
    rows: isTerminal && hasSize ? 30 : undefined,
    write(text) {
      this.text += text;
      onText(this.text);
    },
    writeBytes(bytes) {
      this.write(Buffer.from(bytes).toString("latin1"));
    },
    drained: async () => {},
  };
}
