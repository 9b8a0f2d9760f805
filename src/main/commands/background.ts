/** A server of `orch up` in the background: starts it, reports its status, stops it. */

import { spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseFlags } from "../../base/flags/parse.ts";
import { httpsCall } from "../../base/https-call.ts";
import type { Like } from "../flags/like.ts";
import { folderFlags } from "../flags/small-commands.ts";
import { readPrivateFile } from "../pki/private-files.ts";
import { runningServerOf } from "../programs/running-server.ts";
import { openDataFolder, partsOf, vocabularyOfFolder } from "../stores/data-folder.ts";
import { quoted } from "./own-command.ts";

/** How long a server may take to become ready, or to stop. */
const waitMsMax = 60_000;
const askAgainMs = 100;

export interface Start {
  readonly dataDir: string;
  readonly vocabulary: string;
  readonly like: Like;
  /** "": a temporary folder. */
  readonly readyFile: string;
}

/** Starts `orch up` with the same arguments but without --detach, and resolves when it is ready. */
export async function startInBackground(
  args: readonly string[],
  { dataDir, vocabulary, like, readyFile }: Start,
): Promise<void> {
  const folder = resolve(dataDir);
  await openDataFolder(folder, (await vocabularyOfFolder(folder)) ?? vocabulary);
  const logFile = join(folder, "server.log");
  const output = openSync(logFile, "a", 0o600);
  const rest = args.filter((arg) => !/^--?detach(=|$)/.test(arg));
  const ready = resolve(readyFile || join(folder, "ready"));
  rmSync(ready, { force: true });
  const child = spawn(process.execPath, [process.argv[1] ?? "", "up", ...rest, `--ready-file=${ready}`], {
    detached: true,
    stdio: ["ignore", output, output],
    env: { ...process.env, npm_command: undefined }, // the server outlives npm
  });
  let ended: number | null | undefined;
  child.once("exit", (code) => {
    ended = code;
  });
  for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += askAgainMs) {
    if (ended !== undefined) throw new Error(`the server did not start: ${lastLine(logFile)}`);
    if (existsSync(ready)) {
      child.unref();
      const url = readFileSync(ready, "utf8").trim();
      const where = `in the background, process ${child.pid}; its log is ${logFile}`;
      process.stdout.write(`orch serves ${url} like ${like} ${where}\n`);
      process.stdout.write(usageOf(folder, (await runningServerOf(folder))?.console ?? ""));
      return;
    }
    await new Promise((wake) => setTimeout(wake, askAgainMs));
  }
  child.kill();
  throw new Error(`the server was not ready in time; its log is ${logFile}`);
}

/** How a person uses the server: lines for a shell, and the link for a browser. */
export function usageOf(folder: string, console: string): string {
  const link = console === "" ? "" : `  console in a browser   ${console}\n`;
  return `  client configuration   export KUBECONFIG=${quoted(partsOf(folder).clientConfiguration)}\n${link}`;
}

function lastLine(path: string): string {
  return reasonOf(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "");
}

interface LogLine {
  readonly msg?: string;
  readonly error?: string | { readonly message?: string };
}

/** A line of the log as a sentence: the log of a server in the background is JSON. */
export function reasonOf(line: string): string {
  if (!line.startsWith("{")) return line.replace(/^orch: /, "");
  try {
    const { msg, error } = JSON.parse(line) as LogLine; // our own log
    const reason = typeof error === "string" ? error : error?.message;
    return [msg, reason].filter((part) => part !== undefined).join(": ") || line;
  } catch {
    return line;
  }
}

interface State {
  /** Undefined: no process has the folder open. */
  readonly pid: number | undefined;
  readonly url: string;
  readonly console: string;
  readonly ready: boolean;
}

async function stateOf(folder: string): Promise<State> {
  const { pid, url = "", console = "" } = (await runningServerOf(folder)) ?? {};
  if (url === "") return { pid, url, console, ready: false };
  const { pki } = partsOf(folder);
  const [ca, cert, key] = await Promise.all(
    ["ca.crt", "admin.crt", "admin.key"].map((name) => readPrivateFile(join(pki, name))),
  );
  if (ca === undefined || cert === undefined || key === undefined) return { pid, url, console, ready: false };
  const answer = await httpsCall({
    url: `${url}/readyz`,
    method: "GET",
    tls: { ca, cert, key },
    timeoutMs: 5_000,
    answerBytesMax: 65_536,
  }).catch(() => undefined);
  return { pid, url, console, ready: answer?.status === 200 };
}

/** `orch status`: exits with 0 when the server is ready, 1 when it is not, 3 when it does not run. */
export async function runStatus(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(folderFlags, args);
  const folder = resolve(values["data-dir"]);
  const { pid, url, console, ready } = await stateOf(folder);
  if (pid === undefined) {
    process.stdout.write(`no server has ${folder} open\n`);
    process.exitCode = 3;
    return;
  }
  process.stdout.write(`process ${pid} serves ${url || "(not yet)"}: ${ready ? "ready" : "not ready"}\n`);
  if (url !== "") process.stdout.write(usageOf(folder, console));
  process.exitCode = ready ? 0 : 1;
}

/** `orch stop`: resolves when the process has ended. */
export async function runStop(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(folderFlags, args);
  const folder = resolve(values["data-dir"]);
  const { pid } = (await runningServerOf(folder)) ?? {};
  if (pid === undefined) {
    process.stdout.write(`no server has ${folder} open\n`);
    return;
  }
  process.kill(pid, "SIGTERM");
  for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += askAgainMs) {
    if ((await runningServerOf(folder))?.pid !== pid) return void process.stdout.write(`process ${pid} has ended\n`);
    await new Promise((wake) => setTimeout(wake, askAgainMs));
  }
  throw new Error(`process ${pid} has not ended in time`);
}
