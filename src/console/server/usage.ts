/** What nodes and pods use, where somebody measures it. */

import { collectionPath, withQuery } from "../../client/requests/address.ts";
import type { Asked } from "./cluster.ts";
import { findNeutral } from "./cluster.ts";
import { type Json, part, parts, text } from "./json.ts";

export interface Usage {
  readonly cpu: number;
  readonly memory: number;
}

/** Undefined: nobody measures, or the user may not read it. */
export async function readUsage(asked: Asked, kind: "nodes"): Promise<ReadonlyMap<string, Usage> | undefined> {
  const resource = findNeutral(asked.discovery, `${kind}.metrics.orch.io`);
  if (resource === undefined) return undefined;
  const list = await asked.connection.send
    .json(collectionPath(resource, undefined), { signal: asked.signal })
    .catch(() => undefined);
  if (list === undefined) return undefined;
  return new Map(parts(list, "items").map((one) => [text(one, "metadata", "name"), usageOf(part(one, "usage"))]));
}

/** Of one pod: the sum of its containers. Undefined: nobody measures, or it is too early. */
export async function readPodUsage(
  { connection, discovery, signal }: Asked,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<Usage | undefined> {
  const resource = findNeutral(discovery, "pods.metrics.orch.io");
  if (resource === undefined) return undefined;
  const found = await connection.send
    .json(`${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`, { signal })
    .catch(() => undefined);
  if (found === undefined) return undefined;
  const each = parts(found, "containers").map((one) => usageOf(part(one, "usage")));
  return each.reduce((sum, one) => ({ cpu: sum.cpu + one.cpu, memory: sum.memory + one.memory }), {
    cpu: 0,
    memory: 0,
  });
}

/** The pods of a node that hold a part of it. Undefined: they may not be listed. */
export async function readPodsOn(
  { connection, discovery, signal }: Asked,
  node: string,
): Promise<readonly Json[] | undefined> {
  const resource = findNeutral(discovery, "pods");
  if (resource === undefined) return undefined;
  const path = withQuery(collectionPath(resource, undefined), { fieldSelector: `spec.nodeName=${node}` });
  const list = await connection.send.json(path, { signal }).catch(() => undefined);
  if (list === undefined) return undefined;
  return parts(list, "items").filter((pod) => !/^(Succeeded|Failed)$/.test(text(pod, "status", "phase")));
}

/** What the containers of pods ask for, by resource, and how many pods there are. */
export function askedBy(pods: readonly Json[]): ReadonlyMap<string, number> {
  const sum = new Map([["pods", pods.length]]);
  for (const pod of pods)
    for (const container of parts(pod, "spec", "containers")) {
      const requests = part(container, "resources", "requests");
      for (const what of Object.keys(requests)) sum.set(what, (sum.get(what) ?? 0) + quantityOf(text(requests, what)));
    }
  return sum;
}

const usageOf = (usage: Json): Usage => ({
  cpu: quantityOf(text(usage, "cpu")),
  memory: quantityOf(text(usage, "memory")),
});

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** As precise as a picture needs. 0: it is no quantity. */
export function quantityOf(text: string): number {
  const [, number = "", suffix = ""] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  const value = Number(number) * (factors[suffix] ?? Number.NaN);
  return number === "" || Number.isNaN(value) ? 0 : value;
}

/** "1.5 Gi", "250m", "3". */
export function shortQuantity(value: number, isBytes: boolean): string {
  if (!isBytes) return value < 1 && value > 0 ? `${Math.round(value * 1_000)}m` : `${Math.round(value * 10) / 10}`;
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let at = 0;
  let shown = value;
  while (shown >= 1_024 && at < units.length - 1) {
    shown /= 1_024;
    at += 1;
  }
  return `${shown < 10 ? Math.round(shown * 10) / 10 : Math.round(shown)} ${units[at]}`.trim();
}
