/** A TCP proxy between two processes: the network that a test can slow down, hold up or cut, for all or for some of its callers. */

import { connect, createServer, type Socket } from "node:net";
import { seededRandom } from "../../src/base/seeded-random.ts";

/**
 * `held`: bytes wait, as behind a broken route; connections stay open and go on when the link opens again.
 * `deaf`: only the answers wait. `cut`: connections are reset, and new ones are too.
 * `slow`: everything takes 200 ms. `lossy`: 30 % of packets are lost, which callers of TCP see as pauses before they are sent again.
 */
export type LinkState = "open" | "held" | "deaf" | "cut" | "slow" | "lossy";

const slowMs = 200;
const lossRate = 0.3;
/** When a packet is sent again for the first time; the pause doubles after that. */
const sentAgainMs = 200;
const lossesMax = 5;

export interface Link {
  readonly port: number;
  /** Absent `caller`: all of them. */
  set(state: LinkState, caller?: string): void;
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly targetPort: number;
  /** Where the link listens; 0: anywhere. */
  readonly port?: number;
  /** The caller, read from its first bytes. Absent: callers are not distinguished. */
  readonly callerOf?: (bytes: Buffer) => string | undefined;
}

interface Connection {
  readonly client: Socket;
  readonly target: Socket;
  caller: string | undefined;
}

function lossDelayMs(random: () => number): number {
  let delayMs = 0;
  for (let losses = 0; losses < lossesMax && random() < lossRate; losses += 1) delayMs += sentAgainMs * 2 ** losses;
  return delayMs;
}

/** Writes in the order of the calls, each after its delay. */
function createDirection(to: Socket, delayOf: () => number): (chunk: Buffer) => void {
  const waiting: { readonly chunk: Buffer; readonly dueMs: number }[] = [];
  const next = () => {
    const [first] = waiting;
    if (first === undefined || to.destroyed) return;
    setTimeout(
      () => {
        waiting.shift();
        if (!to.destroyed) to.write(first.chunk);
        next();
      },
      Math.max(0, first.dueMs - Date.now()),
    );
  };
  return (chunk) => {
    const delayMs = delayOf();
    if (delayMs === 0 && waiting.length === 0) {
      to.write(chunk);
      return;
    }
    if (waiting.push({ chunk, dueMs: Date.now() + delayMs }) === 1) next();
  };
}

export async function openLink({ targetPort, port = 0, callerOf }: LinkOptions): Promise<Link> {
  const connections = new Set<Connection>();
  const states = new Map<string, LinkState>();
  const random = seededRandom(targetPort);
  let forAll: LinkState = "open";
  const stateOf = ({ caller }: Connection): LinkState =>
    forAll !== "open" ? forAll : ((caller === undefined ? undefined : states.get(caller)) ?? "open");

  const apply = (connection: Connection): void => {
    const { client, target } = connection;
    const state = stateOf(connection);
    if (state === "cut") {
      client.destroy();
      return;
    }
    if (state === "held") client.pause();
    else client.resume();
    if (state === "held" || state === "deaf") target.pause();
    else target.resume();
  };

  const server = createServer((client) => {
    const connection: Connection = { client, target: connect(targetPort, "127.0.0.1"), caller: undefined };
    const { target } = connection;
    connections.add(connection);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.setNoDelay(true);
      one.on("error", () => {}); // the close that follows says enough
      one.on("close", () => {
        connections.delete(connection);
        other.destroy();
      });
    }
    const delayOf = () => {
      const state = stateOf(connection);
      return state === "slow" ? slowMs : state === "lossy" ? lossDelayMs(random) : 0;
    };
    const toTarget = createDirection(target, delayOf);
    const toClient = createDirection(client, delayOf);
    client.on("data", (chunk: Buffer) => {
      if (connection.caller === undefined && callerOf !== undefined) {
        connection.caller = callerOf(chunk);
        if (connection.caller !== undefined) apply(connection);
      }
      toTarget(chunk);
    });
    target.on("data", toClient);
    apply(connection);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as { port: number }; // a TCP server has one
  return {
    port: address.port,
    set(state, caller) {
      if (caller === undefined) forAll = state;
      else states.set(caller, state);
      for (const connection of connections) apply(connection);
    },
    async close() {
      for (const { client } of connections) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
