/** Notifies systemd of the state of a service: ready, alive, stopping (sd_notify). Elsewhere it does nothing. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";

interface ServiceManager {
  /** Resolves when systemd has been notified; failures are only logged. */
  tell(...states: readonly string[]): Promise<void>;
  /** Notifies systemd, at the interval it asks for, that the event loop is running; systemd restarts a service that stops doing so. */
  keepAlive(): void;
  close(): void;
}

interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A socket of systemd that does not answer must not delay a start or a stop for long. */
const tellMsMax = 5_000;

/**
 * Node has no Unix datagram sockets, so the messages are sent by `systemd-notify`, which is a part of systemd. The unit
 * must have NotifyAccess=all, because the sender is a child of the service.
 */
export function openServiceManager({ env, pid, clock, log }: ServiceManagerOptions): ServiceManager {
  const socket = env["NOTIFY_SOCKET"] ?? "";
  const isWatched = env["WATCHDOG_PID"] === undefined || env["WATCHDOG_PID"] === String(pid);
  const watchdogMs = isWatched ? Number(env["WATCHDOG_USEC"] ?? "0") / 1_000 : 0;
  let cancel = () => {};
  let closed = socket === "";
  const tell = async (...states: readonly string[]): Promise<void> => {
    if (socket === "") return;
    const problem = await send(socket, states);
    if (problem !== undefined) log.warn("systemd could not be notified", { states, problem });
  };
  return {
    tell,
    keepAlive() {
      if (closed || !(watchdogMs > 0)) return;
      // Half the interval, as systemd recommends: one message may be late.
      cancel = clock.after(watchdogMs / 2, () => {
        void tell("WATCHDOG=1");
        this.keepAlive();
      });
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

/** Undefined: it was sent. */
async function send(socket: string, states: readonly string[]): Promise<string | undefined> {
  const { spawn } = await import("node:child_process");
  return new Promise((resolve) => {
    // The arguments are constants; nothing of a request reaches them.
    const child = spawn("systemd-notify", [...states], {
      env: { PATH: process.env["PATH"], NOTIFY_SOCKET: socket },
      stdio: "ignore",
      timeout: tellMsMax,
    });
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? undefined : `systemd-notify ended with ${code ?? signal}`),
    );
  });
}
