/** Whether services can get addresses of a range, and when a range that is deleted may go. */

import { parseOddRange } from "../../api/address-forms.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { waitLeftMs } from "../../base/clock.ts";
import { parseIp } from "../../base/ip-address.ts";
import { timeText } from "../../machinery/values/time.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { type Plan, patch, updateStatus } from "../plan.ts";

/** So long after its deletion a range stays: servers that do not know of it may still give out an address. */
export const deletionDelayMs = 10_000;

interface RangeInput {
  readonly range: ServiceCIDR;
  /** All others. */
  readonly others: readonly ServiceCIDR[];
  /** The names of all IPAddress objects. */
  readonly addresses: readonly string[];
  readonly finalizer: string;
  readonly nowMs: number;
}

export function planRange({ range, others, addresses, finalizer, nowMs }: RangeInput): Plan | undefined {
  const { name = "", uid, finalizers = [], deletionTimestamp } = range.metadata;
  const isHeld = finalizers.includes(finalizer);
  if (!isDeleting(range)) {
    const added = { metadata: { uid, finalizers: [finalizer] } };
    const status = withCondition(range, { status: "True", reason: "", message: "The range is ready" }, nowMs);
    return {
      writes: isHeld ? [] : [patch(ServiceCIDR, { name }, added, { type: "strategic" })],
      next: () => ({ status: isHeld ? status : undefined }),
    };
  }
  if (!isHeld) return undefined;
  if (isNeeded(range, others, addresses)) {
    const message = "There are still addresses of the range: release them, or create another range that has them";
    return { status: withCondition(range, { status: "False", reason: "Terminating", message }, nowMs) };
  }
  const leftMs = waitLeftMs(Date.parse(deletionTimestamp ?? ""), deletionDelayMs, nowMs);
  if (leftMs > 0) return { reviewInMs: leftMs };
  const removed = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [finalizer] } };
  return { writes: [patch(ServiceCIDR, { name }, removed, { type: "strategic" })] };
}

/** Whether an address is in this range and in no other that stays. */
export function isNeeded(range: ServiceCIDR, others: readonly ServiceCIDR[], addresses: readonly string[]): boolean {
  const kept = others.filter((each) => !isDeleting(each)).flatMap(({ spec }) => spec?.cidrs ?? []);
  return (range.spec?.cidrs ?? []).some((cidr) =>
    addresses.some((address) => contains(cidr, address) && !kept.some((other) => contains(other, address))),
  );
}

/** Whether the address is in the range. */
export function contains(cidr: string, ip: string): boolean {
  const range = parseOddRange(cidr);
  const address = parseIp(ip);
  if (range === undefined || address === undefined || range.address.version !== address.version) return false;
  const free = BigInt((address.version === 4 ? 32 : 128) - range.prefix);
  return range.address.value >> free === address.value >> free;
}

/** Undefined: the condition is already so. */
function withCondition(
  range: ServiceCIDR,
  facts: { readonly status: string; readonly reason: string; readonly message: string },
  nowMs: number,
) {
  const conditions = range.status?.conditions ?? [];
  const known = conditions.find(({ type }) => type === "Ready");
  if (known?.status === facts.status && (known.reason ?? "") === facts.reason) return undefined;
  const ready = { type: "Ready", ...facts, lastTransitionTime: timeText(nowMs) };
  const next = [...conditions.filter((each) => each !== known), ready];
  return updateStatus(
    ServiceCIDR,
    { ...range, status: { ...range.status, conditions: next } },
    { tolerates: ["NotFound"] },
  );
}
