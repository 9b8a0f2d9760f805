/**
 * Recordings of kubectl: text files of command lines with what Debian's kubectl printed, against which `ctl` is replayed.
 *
 *   >>> lamp.yaml     a file for the lines below, until <<<
 *   $ kubectl get …   a command line; `<<< 'text'` at its end is its standard input, `NAME=value` before it its environment
 *   text              what it prints; `!` begins a line of standard error, `?` its exit code, a last line `\` means no line end
 *   ## keep: reason   before a command line: what follows was written by hand, since v1.21 differs from Debian's kubectl
 */

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Outcome, openSession, type RunOptions, type Session } from "../../src/ctl/session.suite.ts";
import { wordsOf } from "./ctl-transcript.ts";

/** How long one line may take. */
const lineMs = 20_000;

interface Block {
  /** Comments before it, as they stand. */
  readonly notes: readonly string[];
  readonly line: string;
  readonly expected: string;
}

export interface Recording {
  readonly files: ReadonlyMap<string, string>;
  /** Everything before the first command line, as it stands. */
  readonly head: string;
  readonly hasControllers: boolean;
  readonly blocks: readonly Block[];
}

export function parseRecording(text: string): Recording {
  const files = new Map<string, string>();
  const blocks: { notes: string[]; line: string; expected: string }[] = [];
  const head: string[] = [];
  let notes: string[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (line.startsWith(">>> ")) {
      const end = lines.indexOf("<<<", index);
      files.set(line.slice(4), `${lines.slice(index + 1, end).join("\n")}\n`);
      head.push(...lines.slice(index, end + 1));
      index = end;
    } else if (line.startsWith("## ") && blocks.length === 0 && !line.startsWith("## keep")) head.push(line);
    else if (line.startsWith("## ")) notes.push(line);
    else if (line.startsWith("$ ")) {
      blocks.push({ notes, line: line.slice(2), expected: "" });
      notes = [];
    } else {
      const last = blocks.at(-1);
      if (last !== undefined && !(line === "" && index === lines.length - 1)) last.expected += `${line}\n`;
    }
  }
  return { files, head: head.join("\n"), hasControllers: head.includes("## with controllers"), blocks };
}

export function printRecording(recording: Recording): string {
  const blocks = recording.blocks.map(({ notes, line, expected }) =>
    [...notes, `$ ${line}`]
      .map((text) => `${text}\n`)
      .join("")
      .concat(expected),
  );
  return `${recording.head}\n${blocks.join("")}`;
}

/** A server of its own with the files of a recording in its folder, and a client configuration beside them. */
export async function openStage(recording: Recording): Promise<Session> {
  const session = await openSession("kubectl", recording.hasControllers ? { controllers: ["*"] } : {});
  for (const [name, content] of recording.files) {
    mkdirSync(dirname(join(session.folder, name)), { recursive: true });
    writeFileSync(join(session.folder, name), content, { mode: content.startsWith("#!") ? 0o755 : 0o600 });
  }
  session.file("config", (await session.server.clientConfig()).text);
  return session;
}

export interface Ran {
  readonly line: string;
  readonly expected: string;
  readonly printed: string;
  readonly isKept: boolean;
}

/** Runs every line in order: with `ctl` in this process, or with a program. */
export async function playRecording(recording: Recording, program?: string): Promise<Ran[]> {
  await using session = await openStage(recording);
  const ran: Ran[] = [];
  for (const { line, expected, notes } of recording.blocks) {
    const { words, ...options } = readLine(line, session.folder);
    const outcome =
      program === undefined
        ? await session.run(words, { ...options, isConfigured: true, signal: AbortSignal.timeout(lineMs) })
        : await runProgram(program, words, session.folder, options);
    const isKept = notes.some((note) => note.startsWith("## keep"));
    ran.push({
      line,
      expected: withoutServerWords(line, expected),
      printed: withoutServerWords(line, shownOf(outcome, session.folder)),
      isKept,
    });
  }
  return ran;
}

/** What only the server words: reasons of refusals, and what fields mean. Its own tests are about them. */
function withoutServerWords(line: string, text: string): string {
  const settled = text
    .replaceAll(/(Error from server \(BadRequest\)|is invalid): .*/g, "$1: …")
    .replaceAll(/(Apply failed with \d+ conflicts?): [\s\S]*?(?=\n! Please review|$)/g, "$1: …")
    .replaceAll(/^! \* ([^:\n]+): .*/gm, "! * $1: …");
  return / explain /.test(line) ? settled.replaceAll(/^ {2}[^\t\n]*\n/gm, "") : settled;
}

function readLine(line: string, folder: string): RunOptions & { words: string[] } {
  const [, command = line, quoted] = /^([\s\S]*?)(?: <<< '([\s\S]*)')?$/.exec(line) ?? [];
  const words = wordsOf(command);
  const env: Record<string, string> = { KUBECONFIG: join(folder, "config"), HOME: folder };
  while (words[0] !== undefined && /^[A-Z_]+=/.test(words[0])) {
    const [name = "", ...value] = words.shift()?.split("=") ?? [];
    env[name] = value.join("=").replaceAll("FOLDER", folder);
  }
  words.shift();
  return { words, env, ...(quoted === undefined ? {} : { input: `${quoted}\n` }) };
}

function runProgram(program: string, words: string[], cwd: string, { env, input }: RunOptions): Promise<Outcome> {
  return new Promise((done) => {
    const options = { cwd, env: { PATH: process.env["PATH"], ...env }, timeout: lineMs, maxBuffer: 1 << 26 };
    const child = execFile(program, words, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      done({ code, out: withoutManagedFields(out), err });
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

/** v1.21 leaves managed fields out of JSON and YAML, Debian's kubectl prints them. */
function withoutManagedFields(text: string): string {
  return text
    .replaceAll(/^( *)managedFields:\n(?:\1(?:- | {2}).*\n)*/gm, "")
    .replaceAll(/^( *)"managedFields": \[\n(?:\1 .*\n)*\1\],?\n/gm, "")
    .replaceAll(/,(\n *\})/g, "$1");
}

function shownOf({ code, out, err }: Outcome, folder: string): string {
  const endless = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n\\\n`);
  const errors =
    err === ""
      ? ""
      : err
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => `! ${line}`.trimEnd() + "\n")
          .join("");
  return stable(endless(out), folder) + stable(errors, folder) + (code === 0 ? "" : `? ${code}\n`);
}

/** What differs from run to run, replaced by words. */
function stable(text: string, folder: string): string {
  return text
    .replaceAll(folder, "FOLDER")
    .replaceAll(/127\.0\.0\.1:\d{4,5}/g, "127.0.0.1:PORT")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ [+-]\d{4}/g, "TIME")
    .replaceAll(/(resource ?version"?: *)"?\d+"?/gi, "$1N")
    .replaceAll(/\bwas \d{2,}$/gm, "was N")
    .replaceAll(/^! [IWE]\d{4} [\d:.]+ +\d+ \w+\.go:\d+\] /gm, "! LOG ")
    .replaceAll(/(^|[ "(])(\d+h)?(\d+m)?\d+(\.\d+)?m?s(?=[ )"\n])/gm, "$1AGE")
    .replaceAll(/<invalid>/g, "AGE")
    .replaceAll(/ {2,}/g, "  ")
    .replaceAll(/ +$/gm, "")
    .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-RANDOM")
    .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{8,10}(?=[-\s"/])/g, "-HASH");
}
