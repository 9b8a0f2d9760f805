/** Puts a server under load from many connections and says what it did: operations a second, and its own CPU time. */

import { Connection } from "./connection.ts";
import type { Target } from "./target.ts";

export interface LoadResult {
  readonly operations: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly perSecond: number;
  /** Microseconds of the server's CPU for one operation; undefined: it cannot be measured. */
  readonly cpuMicros: number | undefined;
}

export interface LoadOptions {
  readonly connections: number;
  /** Ends after this time, or after `operations` where that is given. */
  readonly seconds: number;
  readonly operations?: number;
  /** The request number `index`, counted over all connections. */
  request(index: number): Buffer;
  /** Statuses that count; anything else ends the measurement with an error. */
  readonly statuses: readonly number[];
}

export async function load(target: Target, options: LoadOptions): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: options.connections }, () => Connection.open(target.tls)));
  let next = 0;
  let operations = 0;
  let bytes = 0;
  const limit = options.operations ?? Number.POSITIVE_INFINITY;
  const cpuBefore = target.cpuSeconds();
  const start = performance.now();
  const end = start + options.seconds * 1000;
  const drive = async (connection: Connection) => {
    while (next < limit && (limit !== Number.POSITIVE_INFINITY || performance.now() < end)) {
      const answer = await connection.request(options.request(next++));
      if (!options.statuses.includes(answer.status)) throw new Error(`the server answered ${answer.status}`);
      operations++;
      bytes += answer.bytes;
    }
  };
  try {
    await Promise.all(connections.map(drive));
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - start) / 1000;
  const cpuAfter = target.cpuSeconds();
  const cpu = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
  return {
    operations,
    seconds,
    bytes,
    perSecond: operations / seconds,
    cpuMicros: cpu === undefined ? undefined : (cpu / operations) * 1e6,
  };
}

/** One answer in full. */
export async function fetchOnce(target: Target, request: Buffer): Promise<{ status: number; body: Buffer }> {
  const connection = await Connection.open(target.tls);
  try {
    const { status, body } = await connection.request(request, true);
    return { status, body: body ?? Buffer.alloc(0) };
  } finally {
    connection.close();
  }
}
