/** Charges the usage of an object to quotas, before the object is stored. */

import type { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import type { Amounts } from "../../api/quota/amounts.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { Registry, UpdateFunction } from "../../registry/contract/registry.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
import { statusAfter } from "./balance.ts";

interface Charge {
  readonly registry: Registry;
  readonly kind: BoundKind<ResourceQuota>;
  readonly writer: WriteContext;
  readonly delta: Amounts;
  /** What was charged for writes that are stored together. */
  readonly ledger: Ledger;
}

/** A quota that was charged, and the version that the last of its charges made. */
interface Charged {
  readonly ref: ObjectRef;
  revision: bigint;
}

/** By namespace and name of the quota. */
type Ledger = Map<string, Charged>;

/** A ledger for each transaction; a write that is alone has its own. */
export class Ledgers {
  readonly #known = new WeakMap<object, Ledger>();

  of(transaction: object | undefined): Ledger {
    let ledger = transaction && this.#known.get(transaction);
    ledger ??= new Map();
    if (transaction !== undefined) this.#known.set(transaction, ledger);
    return ledger;
  }
}

/**
 * All quotas or none. `check` throws where the newest state of a quota cannot take the object. Gives back a function that takes the
 * charge back as far as that is safe.
 */
export async function charge(
  job: Charge,
  quotas: readonly ResourceQuota[],
  check: (newest: ResourceQuota) => void,
): Promise<() => Promise<void>> {
  const charged: Charged[] = [];
  const slice = new TimeSlice();
  // A store in memory writes at once, so the writes of hundreds of quotas would be one turn.
  const breathe = () => (slice.isLong ? slice.next() : undefined);
  const giveBack = async () => {
    for (const one of charged) {
      await takeBack(job, one);
      await breathe();
    }
  };
  try {
    for (const { metadata } of quotas) {
      await breathe();
      const ref = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
      const key = `${ref.namespace}/${ref.name}`;
      const before = job.ledger.get(key);
      let isLast = false;
      const revision = await update(job, ref, (current) => {
        const newest = current!; // nothing is created here
        check(newest);
        isLast = newest.metadata.resourceVersion === String(before?.revision);
        return { ...newest, status: statusAfter(newest, job.delta, "use") };
      });
      if (revision === undefined) continue;
      // Between two charges of one transaction nothing was recounted, so both can be taken back.
      const one = isLast && before !== undefined ? before : { ref, revision };
      one.revision = revision;
      job.ledger.set(key, one);
      charged.push(one);
    }
  } catch (error) {
    await giveBack();
    throw error;
  }
  return giveBack;
}

class Changed extends Error {}

/**
 * Only if the quota has not been written since: the controller may have recounted usage without the object, and a refund would then
 * make it too low. If it has been written, the next recount corrects it.
 */
async function takeBack(job: Charge, charged: Charged): Promise<void> {
  try {
    const revision = await update(job, charged.ref, (current) => {
      if (current?.metadata.resourceVersion !== String(charged.revision)) throw new Changed();
      return { ...current, status: statusAfter(current, job.delta, "give back") };
    });
    if (revision !== undefined) charged.revision = revision;
  } catch (error) {
    if (!(error instanceof Changed)) throw error;
  }
}

/** One compare-and-swap, retried with the newest state after a conflict. Undefined: the quota was deleted. */
async function update(
  { registry, kind, writer }: Charge,
  ref: ObjectRef,
  change: UpdateFunction<ResourceQuota>,
): Promise<bigint | undefined> {
  try {
    const { entry } = await registry.update(kind, ref, change, writer, { subresource: "status", retry: true });
    return entry.revision;
  } catch (error) {
    // A deleted quota limits nothing.
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}
