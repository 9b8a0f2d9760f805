/** Durability: no write that was acknowledged is lost, and every server shows the same in the end. */

import { type Body, call } from "./call.ts";
import { type Cluster, pause } from "./cluster.ts";
import { mayHaveHappened, revisionOf } from "./registers.ts";
import type { Subject } from "./subject.ts";

export const acknowledgedPrefix = "/core/configmaps/acknowledged/";
export const acknowledgedPath = "/api/v1/namespaces/acknowledged/configmaps";
const writers = 4;
const restMs = 30;
/** How often an object is written before its writer makes the next. */
const writesEach = 4;

interface Written {
  /** The newest value that a server acknowledged, and the newest that was sent; -1: none. */
  acknowledged: number;
  sent: number;
  /** "yes": the delete was acknowledged. "perhaps": its outcome is unknown. */
  removed: "no" | "perhaps" | "yes";
}

export function acknowledged(cluster: Cluster): Subject {
  const objects = new Map<string, Written>();
  return {
    name: "acknowledged writes",
    async run(signal) {
      await cluster.insist("POST", "/api/v1/namespaces", { body: { metadata: { name: "acknowledged" } } });
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(cluster, objects, writer, signal)));
    },
    async verify() {
      const lists = await Promise.all(
        cluster.servers.map(async (server) => {
          const outcome = await call(server, "GET", acknowledgedPath);
          if (outcome.kind === "lost" || outcome.status !== 200) throw new Error(`no list: ${JSON.stringify(outcome)}`);
          return new Map((outcome.body.items ?? []).map((item) => [item.metadata?.name ?? "", item]));
        }),
      );
      const [first, ...others] = lists.map((list) =>
        JSON.stringify([...list].map(([name, { metadata }]) => [name, metadata?.resourceVersion])),
      );
      if (others.some((other) => other !== first)) throw new Error("servers show different lists");
      for (const [name, written] of objects) check(name, written, lists[0]?.get(name));
      if (objects.size === 0) throw new Error("nothing was written");
      return `${objects.size} objects, each as its writer left it`;
    },
  };
}

async function write(
  cluster: Cluster,
  objects: Map<string, Written>,
  writer: number,
  signal: AbortSignal,
): Promise<void> {
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `object-${writer}-${number}`;
    const state: Written = { acknowledged: -1, sent: -1, removed: "no" };
    objects.set(name, state);
    let version = "";
    for (let value = 0; value < writesEach && !signal.aborted; value += 1) {
      await pause(restMs * cluster.random());
      const body = {
        metadata: { name, ...(version ? { resourceVersion: version } : {}) },
        data: { value: String(value) },
      };
      const [method, path] = version ? ["PUT", `${acknowledgedPath}/${name}`] : ["POST", acknowledgedPath];
      state.sent = value;
      const outcome = await call(await cluster.anyServer(), method!, path!, { body });
      if (outcome.kind === "answer" && outcome.status < 300) {
        state.acknowledged = value;
        cluster.times.acknowledgedMs.push(Date.now());
        version = outcome.body.metadata?.resourceVersion ?? "";
        continue;
      }
      // What is there now? A write of unknown outcome may still be on its way; a conditional one then does no harm.
      const found = await cluster.insist("GET", `${acknowledgedPath}/${name}`);
      version = found.status === 200 ? String(revisionOf(found.body)) : "";
    }
    if (number % 3 !== 0 || version === "" || signal.aborted) continue;
    const preconditions = { resourceVersion: version };
    const gone = await call(await cluster.anyServer(), "DELETE", `${acknowledgedPath}/${name}`, {
      body: { preconditions },
    });
    if (gone.kind === "answer" && gone.status < 300) state.removed = "yes";
    else if (mayHaveHappened(gone)) state.removed = "perhaps";
  }
}

function check(name: string, { acknowledged: last, sent, removed }: Written, found: Body | undefined): void {
  if (found === undefined) {
    if (last >= 0 && removed === "no") throw new Error(`${name} is lost: value ${last} was acknowledged`);
    return;
  }
  if (removed === "yes") throw new Error(`${name} is back after its delete was acknowledged`);
  const value = Number(found.data?.["value"]);
  if (value < last || value > sent) throw new Error(`${name} holds ${value}; ${last} was acknowledged, ${sent} sent`);
}
