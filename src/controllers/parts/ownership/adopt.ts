/** Writes owner references: adopts orphans, and releases objects that the selector no longer matches. */

import { fewAtOnce } from "../../../base/few-at-once.ts";
import type { AnyObject, ResourceClient } from "../../../client/contract.ts";
import { hasReason } from "../../../client/requests/send.ts";
import type { OwnerReference } from "../../../machinery/schema/object-meta.ts";
import { isDeleting } from "../pods/state.ts";
import type { OwnershipClaims } from "./claim.ts";

interface Adoption<T extends AnyObject> {
  readonly client: ResourceClient<T>;
  readonly owner: OwnerReference;
  /** The owner as the server has it now: the cache may not know yet that it was deleted. */
  readonly readOwner: () => Promise<AnyObject>;
  /** What the patches say that they were made for. */
  readonly cause?: string | undefined;
}

/** Requests in flight for one owner: a thousand orphans at once would keep everybody else waiting. */
const requestsAtOnce = 8;

/** All objects of the owner afterwards. Fails with the first failure, when all the others are done. */
export async function adoptAndRelease<T extends AnyObject>(
  claims: OwnershipClaims<T>,
  adoption: Adoption<T>,
): Promise<T[]> {
  await fewAtOnce(requestsAtOnce, claims.release, (object) => release(object, adoption));
  if (claims.adopt.length === 0) return claims.owned;
  await checkOwner(adoption);
  const adopted = await fewAtOnce(requestsAtOnce, claims.adopt, (object) => adopt(object, adoption));
  return [...claims.owned, ...adopted.filter((object) => object !== undefined)];
}

async function checkOwner<T extends AnyObject>({ owner, readOwner }: Adoption<T>): Promise<void> {
  const { metadata } = await readOwner();
  if (metadata.uid !== owner.uid) {
    throw new Error(`original ${owner.kind} ${owner.name} is gone: got uid ${metadata.uid}, wanted ${owner.uid}`);
  }
  if (isDeleting({ metadata })) throw new Error(`${owner.kind} ${owner.name} has just been deleted`);
}

/** Undefined: it is gone. The uid in the patch makes it fail for another object of the same name. */
async function adopt<T extends AnyObject>(
  { metadata }: T,
  { client, owner, cause }: Adoption<T>,
): Promise<T | undefined> {
  const patch = { metadata: { uid: metadata.uid, ownerReferences: [owner] } };
  try {
    return await client.patch({ namespace: metadata.namespace, name: metadata.name ?? "" }, patch, {
      ...strategic,
      cause,
    });
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

async function release<T extends AnyObject>({ metadata }: T, { client, owner, cause }: Adoption<T>): Promise<void> {
  const patch = { metadata: { uid: metadata.uid, ownerReferences: [{ $patch: "delete", uid: owner.uid }] } };
  try {
    await client.patch({ namespace: metadata.namespace, name: metadata.name ?? "" }, patch, { ...strategic, cause });
  } catch (error) {
    // Deleted, replaced by another object, or already without owners.
    if (!hasReason(error, "NotFound", "Invalid")) throw error;
  }
}

const strategic = { type: "strategic" } as const;
