/** The content of the ConfigMap with the root authorities. */

import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Namespace } from "../../api/core/v1/namespace.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import { create, type Plan, update } from "../plan.ts";

/** Created by another client, or terminating: a watch event follows. */
const extras = { tolerates: ["AlreadyExists", "NotFound", "NamespaceTerminating"] } as const;

/** Undefined: the namespace has `rootCa`, or needs none. Labels and annotations are kept. */
export function planRootCa(
  namespace: Namespace | undefined,
  known: ConfigMap | undefined,
  { name, rootCa }: { readonly name: string; readonly rootCa: string },
): Plan | undefined {
  if (namespace === undefined || namespace.status?.phase !== "Active") return undefined;
  const data = { "ca.crt": rootCa };
  const made: ConfigMap = { metadata: { namespace: namespace.metadata.name ?? "", name }, data };
  if (known === undefined) return { writes: [create(ConfigMap, made, extras)] };
  return sameJson(known.data, data) ? undefined : { writes: [update(ConfigMap, { ...known, data }, extras)] };
}
