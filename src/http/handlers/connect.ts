/** Subresources that would connect to a node's agent (exec, logs, proxies), which this server has no way to. */

import { badRequest } from "../../machinery/status/status.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Target } from "./target.ts";

/** Says first whether the object is there at all, as the reference does. */
export async function refuseConnection(context: Context, _call: Call, target: Target): Promise<never> {
  const { kind, ref, subresource } = target;
  await context.registry.get(kind, ref);
  throw badRequest(
    `${kind.resource} "${ref.name}" cannot be reached for ${subresource?.name}: this server connects to no nodes`,
  );
}
