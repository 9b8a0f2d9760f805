/** The names of the objects that people look for, for the command palette. */

import { collectionPath, withQuery } from "../../client/requests/address.ts";
import type { NamedObject } from "../state/palette.ts";
import { type Asked, findNeutral } from "./cluster.ts";
import { parts, text } from "./json.ts";
import { tableAccept } from "./tables.ts";

const searched = [
  "deployments.apps",
  "services",
  "statefulsets.apps",
  "daemonsets.apps",
  "nodes",
  "namespaces",
  "jobs.batch",
  "cronjobs.batch",
  "ingresses.networking.orch.io",
  "configmaps",
  "secrets",
  "persistentvolumeclaims",
  "customresourcedefinitions.apiextensions.orch.io",
  "pods",
];

/** Of each kind; a palette finds what one looks for by a longer word elsewhere. */
const namesMax = 1_000;

export async function readNames(asked: Asked, show: (names: readonly NamedObject[]) => void): Promise<void> {
  const found: NamedObject[] = [];
  const accept = tableAccept(asked.discovery.vocabulary);
  for (const id of searched) {
    const resource = findNeutral(asked.discovery, id);
    if (resource === undefined) continue;
    const path = withQuery(collectionPath(resource, undefined), { limit: namesMax });
    const list = await asked.connection.send.json(path, { accept, signal: asked.signal }).catch(() => undefined);
    if (asked.signal.aborted) return;
    for (const row of parts(list, "rows"))
      found.push({
        resource,
        name: text(row, "object", "metadata", "name"),
        namespace: text(row, "object", "metadata", "namespace"),
      });
    show([...found]);
  }
}
