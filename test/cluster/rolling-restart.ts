/** A restart of one server after the other, in which no request of a client that tries twice fails. */

import { call, type Outcome } from "./call.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { Server } from "./server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const clients = 4;
const restMs = 10;

export async function restartAll(cluster: Cluster): Promise<string> {
  const done = new AbortController();
  const counts = { requests: 0, retried: 0 };
  const working = Array.from({ length: clients }, (_, client) => work(cluster, client, counts, done.signal));
  // A failed client ends the restart as well.
  const failed = Promise.all(working);
  const restart = async (): Promise<void> => {
    for (const server of cluster.servers) {
      const code = await server.stop();
      if (code !== 0) throw new Error(`server ${server.name} ended with ${code}`);
      await server.start();
    }
    done.abort();
  };
  await Promise.all([restart(), failed]).finally(() => done.abort());
  return `${counts.requests} requests during the restart of all servers, ${counts.retried} were sent twice, none failed`;
}

async function work(
  cluster: Cluster,
  client: number,
  counts: { requests: number; retried: number },
  signal: AbortSignal,
): Promise<void> {
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `rolling-${client}-${number}`;
    const requests: readonly [string, string, unknown, readonly number[]][] = [
      // The second sending of a create that had been carried out says that the object exists.
      ["POST", path, { metadata: { name } }, [201, 409]],
      ["GET", `${path}/${name}`, undefined, [200]],
      ["PUT", `${path}/${name}`, { metadata: { name }, data: { a: "b" } }, [200]],
      ["DELETE", `${path}/${name}`, undefined, [200, 404]],
    ];
    for (const [method, target, body, fine] of requests) {
      counts.requests += 1;
      const isFine = (outcome: Outcome) => outcome.kind === "answer" && fine.includes(outcome.status);
      const server = cluster.pick(cluster.servers);
      let outcome = await call(server, method, target, { body });
      if (!isFine(outcome)) {
        counts.retried += 1;
        outcome = await call(await another(cluster, server), method, target, { body });
      }
      if (!isFine(outcome)) throw new Error(`${method} ${target} failed twice: ${JSON.stringify(outcome)}`);
      await pause(restMs);
    }
  }
}

/** The first attempt goes to any server, whatever its state; the second to another one that should answer. */
async function another(cluster: Cluster, not: Server): Promise<Server> {
  for (;;) {
    const server = await cluster.anyServer();
    if (server !== not) return server;
    await pause(5);
  }
}
