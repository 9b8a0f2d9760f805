/** Repeats a command that relied on cached discovery of which the server knows nothing: it was upgraded, or is another one. */

import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import type { InputSource, ProgramEnvironment, Sink } from "../environment.ts";
import { Errors } from "../errors.ts";

/** Whether the error contradicts cached discovery, which is forgotten then. */
type IsContradicted = (context: Context, error: unknown) => boolean;

/** `run` is called once more, with discovery read again, if the server contradicts the cache before anything is printed. */
export async function withCurrentDiscovery(
  environment: ProgramEnvironment,
  run: (environment: ProgramEnvironment, isContradicted: IsContradicted) => Promise<number>,
): Promise<number> {
  let isAgain = false;
  let hasPrinted = false;
  const stdout = noting(environment.stdout, () => {
    hasPrinted = true;
  });
  const repeatable = { ...environment, stdout, stdin: rereadable(environment.stdin) };
  const isContradicted: IsContradicted = (context, error) => {
    isAgain = isUnknownPath(error) && context.session.published.forgetKept() && !hasPrinted;
    return isAgain;
  };
  try {
    return await run(repeatable, isContradicted);
  } catch (error) {
    if (!isAgain) throw error;
    return run(repeatable, () => false);
  }
}

/** A 404 that is not about an object: the path itself is unknown. */
function isUnknownPath(error: unknown): boolean {
  if (error instanceof Errors) return error.errors.some(isUnknownPath);
  if (error instanceof StatusError) return error.code === 404 && !error.details?.name;
  // A refusal may be told with our own words.
  return error instanceof Error && isUnknownPath(error.cause);
}

function noting(sink: Sink, onWrite: () => void): Sink {
  return {
    write(text) {
      onWrite();
      sink.write(text);
    },
    writeBytes(bytes) {
      onWrite();
      sink.writeBytes(bytes);
    },
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
    drained: () => sink.drained(),
  };
}

/** Manifests from standard input can be read once. */
function rereadable(source: InputSource): InputSource {
  let whole: Promise<string> | undefined;
  return {
    get isTerminal() {
      return source.isTerminal;
    },
    readAll() {
      whole ??= source.readAll();
      return whole;
    },
    readLine: () => source.readLine(),
    chunks: () => source.chunks(),
    get terminal() {
      return source.terminal;
    },
  };
}
