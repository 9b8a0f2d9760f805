/** Runs a server as a process: signals stop and reload it. Only commands use this; the library never does. */

import { systemClock } from "../../base/clock.ts";
import type { CommandLog } from "../../base/log-writer.ts";
import type { ApiServer } from "../programs/apiserver.ts";
import { reportLongTurns } from "./long-turns.ts";
import { openServiceManager } from "./notify-systemd.ts";

/** A stop that takes longer ends the process anyway. The shutdown delay and the time that requests may take come on top. */
const stopDeadlineMs = 4_500;

export async function runUntilStopped(
  open: () => Promise<ApiServer>,
  log: CommandLog,
  flags: { readonly "shutdown-delay-duration": number; readonly "request-timeout": number },
  { stopsWithParent = process.env["npm_command"] !== undefined }: { readonly stopsWithParent?: boolean } = {},
): Promise<void> {
  // An unexpected error in one request must not end the others, but it is always logged.
  process.on("unhandledRejection", (cause) => log.error("unhandled promise rejection", { cause }));
  // Before the server opens, so that a signal during a slow start is not lost.
  let stopping = false;
  let wake = () => {};
  const stopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return finish(log, 1); // a second signal ends the process at once
    stopping = true;
    log.info("signal received", { signal });
    wake();
  };
  // On this signal Node opens its debugger to every user of the machine; a listener prevents that.
  process.on("SIGUSR1", () => {});
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (stopsWithParent) stopWithParent(() => stop("SIGTERM"));

  // A start may wait for timers and connections, such as the one to etcd, that do not keep the process alive.
  const starting = setInterval(() => {}, 60_000);
  const manager = openServiceManager({ env: process.env, pid: process.pid, clock: systemClock, log });
  const server = await open().finally(() => clearInterval(starting));
  void manager.tell("READY=1", `STATUS=serving ${server.url}`);
  manager.keepAlive();
  reportLongTurns(process.env, log);
  process.on("SIGHUP", () => {
    server.reload().catch((cause) => log.error("certificates could not be reloaded", { cause }));
  });
  await stopped;
  void manager.tell("STOPPING=1");
  setTimeout(
    () => {
      log.error("requests did not end in time");
      finish(log, 1);
    },
    flags["shutdown-delay-duration"] + flags["request-timeout"] + stopDeadlineMs,
  ).unref();
  await server.stop();
  manager.close();
  finish(log, 0);
}

/** How soon a server notices that the process that started it has ended. */
const parentCheckMs = 500;

/** npm and npx send signals to a shell that does not forward them, and a killed test sends none: the server ends with its parent. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, parentCheckMs);
  timer.unref();
}

/** How long the last lines of the log may take to be written. */
const flushMs = 200;

function finish(log: CommandLog, code: number): void {
  const exit = () => process.exit(code);
  setTimeout(exit, flushMs);
  void log.flush().then(exit);
}
