/** Runs the controller manager as a process: signals stop it, and so does the loss of its lease. */

import { once } from "node:events";
import { parseFlags } from "../../base/flags/parse.ts";
import { createLog } from "../../base/log-writer.ts";
import type { Controller } from "../../controllers/contract.ts";
import { controllerManagerFlags } from "../flags/controller-manager-flags.ts";
import { type ControllerManagerFlags, openControllerManager } from "../programs/controller-manager.ts";
import { reportLongTurns } from "./long-turns.ts";

/** A stop that takes longer ends the process anyway. */
const stopDeadlineMs = 4_500;

export async function runControllerManager(args: readonly string[]): Promise<void> {
  await runManager(parseFlags(controllerManagerFlags, args));
}

interface Parsed {
  readonly values: ControllerManagerFlags;
  readonly warnings: readonly string[];
}

/** `controllers`: those that run. Default: those that --controllers names. */
export async function runManager({ values, warnings }: Parsed, controllers?: readonly Controller[]): Promise<void> {
  const log = createLog({ verbosity: values.v, format: values["log-format"] });
  for (const warning of warnings) log.warn(warning);
  process.on("unhandledRejection", (cause) => log.error("unhandled promise rejection", { cause }));
  const stopping = new AbortController();
  const asked = once(stopping.signal, "abort").then(() => 0);
  const stop = () => stopping.abort();
  process.on("SIGUSR1", () => {});
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  const { signal } = stopping;
  const manager = await openControllerManager(values, { log, chosen: controllers, signal }).catch((error: unknown) => {
    if (signal.aborted) process.exit(0); // it still waited for its server
    throw error;
  });
  reportLongTurns(process.env, log);
  const alive = setInterval(() => {}, 60_000);
  const code = await Promise.race([
    asked,
    manager.ended.then(
      () => 0,
      () => 1,
    ),
  ]);
  setTimeout(() => process.exit(1), stopDeadlineMs).unref();
  await manager.stop().catch((error: unknown) => log.error("the controller manager did not stop cleanly", { error }));
  clearInterval(alive);
  await log.flush();
  process.exit(code);
}
