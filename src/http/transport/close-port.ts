/** Ends a port: what is being answered has some time to end, idle connections are closed at once. */

import type { Server } from "node:https";

const idleSweepMsMax = 20;

interface ClosedPort {
  readonly server: Server;
  closeIdle(): void;
  destroyAll(): void;
}

/** Resolves when no connection is left. `graceMs`: how long requests may take after `quiet`, which resolves when no more are expected. */
export function closePort(
  { server, closeIdle, destroyAll }: ClosedPort,
  graceMs: number,
  quiet: Promise<unknown>,
): Promise<void> {
  return new Promise<void>((resolve) => {
    let force: NodeJS.Timeout | undefined;
    void quiet.finally(() => {
      force = setTimeout(destroyAll, graceMs);
    });
    const stopSweeping = sweepIdle(closeIdle);
    server.close(() => {
      clearTimeout(force);
      stopSweeping();
      resolve();
    });
  });
}

/**
 * Connections become idle one by one, as their answers are sent: those of watches within a millisecond or two after their end, which
 * most stops wait for.
 */
function sweepIdle(closeIdle: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let waitMs = 1;
  const sweep = () => {
    closeIdle();
    timer = setTimeout(sweep, waitMs);
    waitMs = Math.min(waitMs * 2, idleSweepMsMax);
  };
  sweep();
  return () => clearTimeout(timer);
}
