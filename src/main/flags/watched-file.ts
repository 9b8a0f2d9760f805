/** A configuration file that is read again while the server runs; a broken one leaves the last valid one in effect. */

import { readFileSync, type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { type OperatorFile, operatorFile } from "../../admission/configuration/operator-file.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { describeReadProblem, FlagFileError, readFlagFile, useFlagFile } from "./read-file.ts";

interface WatchedFile<T> {
  current(): T;
  /** Calls back after another value is in effect. */
  onChange(listener: () => void): void;
  close(): void;
}

interface WatchedFileOptions<T> {
  readonly flag: string;
  readonly path: string;
  /** Rejects with an Error that says what is wrong. `before`: the value in effect; undefined at the start. */
  parse(file: OperatorFile, before: T | undefined): T | Promise<T>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each change of the file, once it is in effect or refused. */
  onReload?(status: "success" | "failure"): void;
}

/** A change takes effect within a minute, as operators know it. */
export const configPollMs = 10_000;
/** A changed file is read again after this, and is used if it is still the same: the first half of a list is a valid list. */
export const configSettleMs = 1_000;
/** A configuration file, and each file that it names. */
export const configBytesMax = 1024 * 1024;

/** Rejects with a FlagFileError if the file cannot be used at the start. */
export async function openWatchedFile<T>(options: WatchedFileOptions<T>): Promise<WatchedFile<T>> {
  const { flag, path, parse, clock, log } = options;
  const listeners: (() => void)[] = [];
  const read = async (text: string, before: T | undefined): Promise<T> => {
    try {
      return await parse(operatorFile(path, text, readNamed), before);
    } catch (cause) {
      return useFlagFile(flag, path, () => {
        throw cause;
      });
    }
  };
  let known = await readBounded(flag, path);
  let value = await read(known, undefined);
  /** What was wrong at the last look; it is reported once. */
  let problem = "";
  let closed = false;
  let stop = () => {};
  const check = async () => {
    const text = await readBounded(flag, path);
    problem = "";
    if (closed || text === known) return;
    await new Promise<void>((resolve) => {
      stop = clock.after(configSettleMs, resolve);
    });
    // A file that is still being written is looked at again with the next poll.
    if ((await readBounded(flag, path)) !== text || closed) return;
    // Remembered even if it is broken, so that it is reported once.
    known = text;
    value = await read(text, value);
    if (closed) return;
    log.info("a configuration file has changed", { flag: `--${flag}`, path });
    options.onReload?.("success");
    for (const listener of listeners) listener();
  };
  const poll = () => {
    stop = clock.after(configPollMs, () => {
      check()
        .catch((cause: unknown) => {
          const message = cause instanceof Error ? cause.message : String(cause);
          if (closed || message === problem) return;
          problem = message;
          log.error("a configuration file cannot be used; the previous one stays in effect", { cause });
          options.onReload?.("failure");
        })
        .finally(() => {
          if (!closed) poll();
        });
    });
  };
  poll();
  return {
    current: () => value,
    onChange: (listener) => void listeners.push(listener),
    close() {
      closed = true;
      stop();
    },
  };
}

/** A pipe or a device would never end, so only plain files are read, and only small ones. */
async function readBounded(flag: string, path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (info !== undefined) {
    const refused = unusable(info);
    if (refused !== undefined) throw new FlagFileError(`--${flag}: cannot read ${path}: ${refused}`);
  }
  return await readFlagFile(flag, path);
}

function readNamed(path: string): string {
  try {
    const refused = unusable(statSync(path));
    if (refused !== undefined) throw new Error(refused);
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`cannot read ${path}: ${describeReadProblem(cause)}`, { cause });
  }
}

/** Why a file is not read; undefined: it can be. */
function unusable(info: Stats): string | undefined {
  if (info.isDirectory()) return "it is a folder";
  if (!info.isFile()) return "it is not a file";
  return info.size > configBytesMax ? `it must have at most ${configBytesMax} bytes` : undefined;
}
