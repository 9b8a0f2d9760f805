/** The content of the ConfigMap with the root authorities. */

import type { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Namespace } from "../../api/core/v1/namespace.ts";
import { sameJson } from "../../machinery/json/json-value.ts";

type RootCaChange = { readonly create: ConfigMap } | { readonly update: ConfigMap } | undefined;

/** What to write so that the namespace has `rootCa`; undefined: nothing. Labels and annotations are kept. */
export function publishRootCa(
  namespace: Namespace | undefined,
  known: ConfigMap | undefined,
  { name, rootCa }: { readonly name: string; readonly rootCa: string },
): RootCaChange {
  if (namespace === undefined || namespace.status?.phase !== "Active") return undefined;
  const data = { "ca.crt": rootCa };
  if (known === undefined) return { create: { metadata: { namespace: namespace.metadata.name ?? "", name }, data } };
  return sameJson(known.data, data) ? undefined : { update: { ...known, data } };
}
