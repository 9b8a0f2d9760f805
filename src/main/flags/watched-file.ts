/** A configuration file that is read again while the server runs; a broken one leaves the last valid one in effect. */

import { readFileSync } from "node:fs";
import { type OperatorFile, operatorFile } from "../../admission/configuration/operator-file.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { describeReadProblem, readFlagFile, useFlagFile } from "./read-file.ts";

interface WatchedFile<T> {
  current(): T;
  /** Calls back after another value is in effect. */
  onChange(listener: () => void): void;
  close(): void;
}

interface WatchedFileOptions<T> {
  readonly flag: string;
  readonly path: string;
  /** Throws an Error that says what is wrong. `before`: the value in effect; undefined at the start. */
  parse(file: OperatorFile, before: T | undefined): T;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each change of the file, once it is in effect or refused. */
  onReload?(status: "success" | "failure"): void;
}

/** A change takes effect within a minute, as operators know it. */
export const configPollMs = 10_000;

/** Throws a FlagFileError if the file cannot be used at the start. */
export async function openWatchedFile<T>(options: WatchedFileOptions<T>): Promise<WatchedFile<T>> {
  const { flag, path, parse, clock, log } = options;
  const listeners: (() => void)[] = [];
  const read = (text: string, before: T | undefined) =>
    useFlagFile(flag, path, () => parse(operatorFile(path, text, readNamed), before));
  let known = await readFlagFile(flag, path);
  let value = read(known, undefined);
  let closed = false;
  let stop = () => {};

  const check = async () => {
    const text = await readFlagFile(flag, path);
    if (closed || text === known) return;
    // Remembered even if it is broken, so that it is reported once.
    known = text;
    value = read(text, value);
    log.info("a configuration file has changed", { flag: `--${flag}`, path });
    options.onReload?.("success");
    for (const listener of listeners) listener();
  };
  const poll = () => {
    stop = clock.after(configPollMs, () => {
      check()
        .catch((cause: unknown) => {
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

function readNamed(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`cannot read ${path}: ${describeReadProblem(cause)}`, { cause });
  }
}
