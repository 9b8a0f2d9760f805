/** How a table shows a node. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { joined } from "../../../columns.ts";
import { has } from "../../../features.ts";

/** What the cells read of a node. */
interface NodeRow {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly nodeInfo?: object;
  };
}

export function statusText({ spec, status }: NodeRow): string {
  const ready = status?.conditions?.filter(({ type }) => type === "Ready").at(-1);
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

export function rolesText({ metadata }: NodeRow, { vocabulary }: Environment): string {
  const prefix = vocabulary.word("node-role.orch.io/");
  const plain = vocabulary.word("orch.io/role");
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return [key.slice(prefix.length)];
    return key === plain ? [value] : [];
  });
  return joined([...new Set(roles.filter((role) => role !== ""))].sort());
}

export const addressText = ({ status }: NodeRow, type: string): string =>
  status?.addresses?.find((address) => address.type === type)?.address ?? "<none>";

/** A fact about the machine; `field` is named as the server's vocabulary names it. */
export function systemText({ status }: NodeRow, field: string, absent = "<unknown>"): string {
  const facts = (status?.nodeInfo ?? {}) as Readonly<Record<string, unknown>>; // all members of nodeInfo are texts
  const value = Object.hasOwn(facts, field) ? facts[field] : "";
  return typeof value === "string" && value !== "" ? value : absent;
}

/** With the processor that it is for, where columns show that. */
export function kernelText(node: NodeRow, environment: Environment): string {
  const [kernel, processor] = [systemText(node, "kernelVersion"), systemText(node, "architecture", "")];
  return processor !== "" && has(environment, "shownProcessors") ? `${kernel} (${processor})` : kernel;
}
