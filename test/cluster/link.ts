/** A TCP proxy between two processes: the network that a test can hold up or cut, for all or for some of its callers. */

import { connect, createServer, type Socket } from "node:net";

/**
 * `held`: bytes wait, as behind a broken route; connections stay open and go on when the link opens again.
 * `deaf`: only the answers wait. `cut`: connections are reset, and new ones are too.
 */
export type LinkState = "open" | "held" | "deaf" | "cut";

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

export async function openLink({ targetPort, port = 0, callerOf }: LinkOptions): Promise<Link> {
  const connections = new Set<Connection>();
  const states = new Map<string, LinkState>();
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
    client.on("data", (chunk: Buffer) => {
      if (connection.caller === undefined && callerOf !== undefined) {
        connection.caller = callerOf(chunk);
        if (connection.caller !== undefined) apply(connection);
      }
      target.write(chunk);
    });
    target.on("data", (chunk: Buffer) => client.write(chunk));
    apply(connection);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
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
