/** What the console needs for streams to containers, and the pods that a page may name. */

import { objectPath } from "../../client/requests/address.ts";
import { readRefusal } from "../../client/requests/refusals.ts";
import { type Upgrade, UpgradeRefused } from "../../client/streams/contract.ts";

/** Streams as the user of the console. */
export interface StreamAccess {
  readonly upgrade: Upgrade;
  /** The server's own name of the protocol: "channel.k8s.io". */
  protocol(): Promise<string>;
}

export interface PodName {
  readonly namespace: string;
  readonly pod: string;
}

/** As the server allows: such a name is one segment of a path, whatever reads it. */
export const isName = (given: unknown): given is string =>
  typeof given === "string" && /^[a-z0-9][-a-z0-9.]{0,252}$/.test(given);

const pods = { group: "", version: "v1", kind: "Pod", resource: "pods", namespaced: true };

export const podPath = ({ namespace, pod }: PodName, subresource: "exec" | "portforward"): string =>
  objectPath(pods, { namespace, name: pod }, subresource);

/** What a person is told about a stream that did not come about. */
export async function problemOf(error: unknown): Promise<string> {
  const known = error instanceof UpgradeRefused ? await readRefusal(error.response) : error;
  return known instanceof Error ? known.message : String(known);
}
