/** Charges the usage of an object to quotas, before the object is stored. */

import type { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import type { Amounts } from "../../api/quota/amounts.ts";
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
}

/** A quota that was charged, and its resulting version. */
interface Charged {
  readonly ref: ObjectRef;
  readonly revision: bigint;
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
  const giveBack = async () => {
    for (const one of charged) await takeBack(job, one);
  };
  try {
    for (const { metadata } of quotas) {
      const ref = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
      const revision = await update(job, ref, (current) => {
        const newest = current!; // nothing is created here
        check(newest);
        return { ...newest, status: statusAfter(newest, job.delta, "use") };
      });
      if (revision !== undefined) charged.push({ ref, revision });
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
async function takeBack(job: Charge, { ref, revision }: Charged): Promise<void> {
  try {
    await update(job, ref, (current) => {
      if (current?.metadata.resourceVersion !== String(revision)) throw new Changed();
      return { ...current, status: statusAfter(current, job.delta, "give back") };
    });
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
