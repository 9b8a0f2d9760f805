/** A shell that somebody types to: a prompt, a line, its output, and the next prompt. */

import { parseScript } from "./parse.ts";
import { failed, runList } from "./run.ts";
import { Jump, type Shell, ShellExit } from "./shell.ts";
import { readChunk, type Source, type Streams, write } from "./streams.ts";
import type { Run } from "./wait.ts";

/** What a shell returns when Ctrl and C end a command. */
const interruptedCode = 130;
const newline = 10;

/** Until `exit`, or the end of the input. Ctrl and C end the command that runs, not the shell. */
export function* runInteractive(shell: Shell, streams: Streams): Run {
  const typed = new LineReader(streams.stdin);
  for (;;) {
    let isInterrupted = false;
    shell.task.handler = (signal) => {
      if (signal !== "INT" && signal !== "TERM") return false;
      isInterrupted ||= signal === "INT";
      return true;
    };
    yield* write(streams.stdout, `${shell.folder} # `);
    const line = yield* typed.next();
    if (line === undefined) return shell.lastCode;
    // What was pressed before the line was there meant the line before.
    isInterrupted = false;
    try {
      const code = yield* untilInterrupted(runLine(shell, line, streams), () => isInterrupted);
      shell.lastCode = code ?? interruptedCode;
    } catch (error) {
      if (error instanceof ShellExit) return error.code;
      shell.lastCode = error instanceof Jump ? 0 : yield* failed(shell, streams, error);
    }
  }
}

function* runLine(shell: Shell, line: string, streams: Streams): Run {
  return yield* runList(shell, parseScript(line), streams);
}

/** Undefined: it was interrupted. */
function* untilInterrupted(run: Run, isInterrupted: () => boolean): Run<number | undefined> {
  for (let next = run.next(); ; next = run.next()) {
    if (next.done) return next.value;
    const wait = next.value;
    if (wait.at === "until") yield { ...wait, isReady: () => isInterrupted() || wait.isReady() };
    else if (wait.at === "time") yield { at: "until", isReady: isInterrupted, orMs: wait.ms };
    else yield wait;
    if (!isInterrupted()) continue;
    run.return(interruptedCode);
    return undefined;
  }
}

class LineReader {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Without its end; what follows stays in the source, for the command to read. Undefined: the end. */
  *next(): Run<string | undefined> {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = yield* readChunk(this.#source);
      if (chunk === undefined) return chunks.length === 0 ? undefined : Buffer.concat(chunks).toString();
      const end = chunk.indexOf(newline);
      if (end < 0) {
        chunks.push(chunk);
        continue;
      }
      if (end + 1 < chunk.length) this.#source.unread(chunk.subarray(end + 1));
      return Buffer.concat([...chunks, chunk.subarray(0, end)]).toString();
    }
  }
}
