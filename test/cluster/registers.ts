/** Linearizability: what clients of all servers see of one object could have happened one after another. */

import { isLinearizable, type Operation } from "../../src/kv/linearizable.suite.ts";
import { type Body, call, type Outcome } from "./call.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { Subject } from "./subject.ts";

const path = "/api/v1/namespaces/default/configmaps";
/** Few steps on each object, because the search for an order grows with operations of unknown outcome. */
const clients = 5;
const steps = 8;
const restMs = 40;

export function registers(cluster: Cluster): Subject {
  const histories: Operation[][] = [];
  return {
    name: "linearizable objects",
    async run(signal) {
      for (let round = 0; !signal.aborted; round += 1) {
        const history: Operation[] = [];
        histories.push(history);
        await Promise.all(
          Array.from({ length: clients }, (_, client) => useObject(cluster, `register-${round}`, client, history)),
        );
        if (!isLinearizable(history)) throw new Error(`not linearizable:\n${describe(history)}`);
      }
    },
    async verify() {
      const all = histories.flat();
      const count = (kind: Operation["kind"]) => all.filter((operation) => operation.kind === kind).length;
      if (count("write") === 0) throw new Error("nothing was written");
      return `${all.length} operations on ${histories.length} objects, ${count("unknown")} of unknown outcome`;
    },
  };
}

let time = 0;

async function useObject(cluster: Cluster, name: string, client: number, history: Operation[]): Promise<void> {
  let known = 0n;
  for (let step = 0; step < steps; step += 1) {
    await pause(restMs * cluster.random());
    const server = await cluster.anyServer();
    const choice = cluster.random();
    const start = time++;
    if (choice < 0.4) {
      const outcome = await call(server, "GET", `${path}/${name}`);
      const saw = seen(outcome);
      if (saw === undefined) continue;
      known = saw;
      history.push({ kind: "read", saw, start, end: time++ });
      continue;
    }
    const expected = known;
    const remove = choice > 0.85 && expected > 0n;
    const outcome = await send(server, name, { expected, remove, value: `${client}-${step}` });
    const end = time++;
    if (outcome.kind === "answer" && outcome.status < 300) {
      known = remove ? 0n : revisionOf(outcome.body);
      history.push(
        remove ? { kind: "delete", expected, start, end } : { kind: "write", expected, wrote: known, start, end },
      );
    } else if (outcome.kind === "answer" && (outcome.status === 409 || outcome.status === 404)) {
      history.push({ kind: "refused", expected, start, end });
      known = 0n;
    } else if (mayHaveHappened(outcome)) history.push({ kind: "unknown", expected, remove, start, end });
  }
}

function send(
  server: Parameters<typeof call>[0],
  name: string,
  { expected, remove, value }: { expected: bigint; remove: boolean; value: string },
): Promise<Outcome> {
  const resourceVersion = String(expected);
  if (remove) return call(server, "DELETE", `${path}/${name}`, { body: { preconditions: { resourceVersion } } });
  if (expected === 0n) return call(server, "POST", path, { body: { metadata: { name }, data: { value } } });
  return call(server, "PUT", `${path}/${name}`, { body: { metadata: { name, resourceVersion }, data: { value } } });
}

/** A 503 and a 429 say that nothing was written; a 500, a 504 and a broken connection leave it open. */
export function mayHaveHappened(outcome: Outcome): boolean {
  if (outcome.kind === "lost") return outcome.sent;
  return outcome.status >= 500 && outcome.status !== 503;
}

function seen(outcome: Outcome): bigint | undefined {
  if (outcome.kind === "lost") return undefined;
  if (outcome.status === 404) return 0n;
  return outcome.status === 200 ? revisionOf(outcome.body) : undefined;
}

export function revisionOf(body: Body): bigint {
  return BigInt(body.metadata?.resourceVersion ?? "0");
}

function describe(history: readonly Operation[]): string {
  return history.map(({ start, end, ...rest }) => `[${start},${end}] ${Object.values(rest).join(" ")}`).join("\n");
}
