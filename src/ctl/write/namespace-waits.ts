/** Waits for namespaces: until one that is deleted is gone, and until a new one can be used. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { isForbidden } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { TimedOut } from "../errors.ts";
import { findResource } from "../input/lookups.ts";
import { text } from "../json.ts";
import { pause } from "../pause.ts";

/** How long to wait for a namespace: until an old one of the name is gone, and until a new one can hold pods. */
const namespaceWaitMs = 30_000;
const accountWaitMs = 5_000;
const pollMs = 200;

export async function untilNotTerminating(
  context: Context,
  namespaces: DiscoveredResource,
  name: string,
): Promise<void> {
  const { clock } = context.environment;
  let isTold = false;
  for (const endMs = clock.monotonic() + namespaceWaitMs; ; await pause(context, pollMs)) {
    const live = await context.session.find(namespaces, { name });
    if (text(live, "metadata", "deletionTimestamp") === "") return;
    if (!isTold) context.note(`namespace ${name} is being deleted; waiting until it is gone`);
    isTold = true;
    if (clock.monotonic() >= endMs) throw new TimedOut(`timed out waiting for the end of namespace ${name}`);
  }
}

/** Pods are refused until a controller has created the account that they use. Without one, there is nothing to wait for. */
export async function untilUsable(context: Context, namespace: string): Promise<void> {
  const { clock } = context.environment;
  const accounts = await findResource(context, "serviceaccounts");
  for (const endMs = clock.monotonic() + accountWaitMs; clock.monotonic() < endMs; await pause(context, pollMs)) {
    const account = await context.session.find(accounts, { namespace, name: "default" }).catch((error: unknown) => {
      if (isForbidden(error)) return {};
      throw error;
    });
    if (account !== undefined) return;
  }
}
