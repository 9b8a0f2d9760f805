/** Finds, creates and deletes the ControllerRevisions of an owner. */

import { ControllerRevision } from "../../../api/apps/v1/controller-revision.ts";
import type { AnyObject, Client } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf, splitKey } from "../../../client/informer/keys.ts";
import { hasReason } from "../../../client/requests/send.ts";
import type { OwnerReference } from "../../../machinery/schema/object-meta.ts";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.ts";
import { adoptAndRelease } from "../ownership/adopt.ts";
import { byController } from "../ownership/by-controller.ts";
import { claim } from "../ownership/claim.ts";
import { sameData, sortRevisions } from "./history.ts";

export interface RevisionOwner {
  readonly object: AnyObject;
  readonly reference: OwnerReference;
  readonly selector: LabelSelector;
  readonly read: () => Promise<AnyObject>;
}

export interface NewRevision {
  readonly data: unknown;
  readonly number: number;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  /** The hash that its name ends in, and the labels that contain it. */
  readonly hashOf: (collisionCount: number) => { readonly hash: string; readonly labels: Record<string, string> };
}

export interface RevisionControl {
  /** Oldest first; orphans that the selector matches are adopted. */
  list(owner: RevisionOwner): Promise<ControllerRevision[]>;
  /** A name that another object has raises the collision count. */
  create(
    owner: RevisionOwner,
    revision: NewRevision,
    collisionCount: number,
  ): Promise<{ revision: ControllerRevision; collisionCount: number }>;
  /** The same one with another number. */
  raise(revision: ControllerRevision): Promise<ControllerRevision>;
  delete(revision: ControllerRevision): Promise<void>;
}

/** A longer name is cut, so that the hash fits. */
const ownerNameCharsMax = 223;

export function createRevisionControl(client: Client, informer: Informer<ControllerRevision>): RevisionControl {
  const revisionsOf = byController(informer);
  const resource = client.of(ControllerRevision);
  return {
    async list({ object, reference, selector, read }) {
      const claims = claim(revisionsOf.candidatesOf(object), { owner: object, selector });
      // A revision that stopped matching keeps its owner, as in v1.21.
      const adoption = { client: resource, owner: reference, readOwner: read };
      return sortRevisions(await adoptAndRelease({ ...claims, release: [] }, adoption));
    },
    async create({ object, reference }, { data, number, labels, annotations, hashOf }, collisionCount) {
      const { name = "", namespace } = object.metadata;
      for (let count = collisionCount; ; count++) {
        const { hash, labels: hashLabels } = hashOf(count);
        const revision: ControllerRevision = {
          metadata: {
            name: `${name.slice(0, ownerNameCharsMax)}-${hash}`,
            ...(namespace === undefined ? {} : { namespace }),
            labels: { ...labels, ...hashLabels },
            ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
            ownerReferences: [reference],
          },
          data,
          revision: number,
        };
        try {
          return { revision: await resource.create(revision), collisionCount: count };
        } catch (error) {
          if (!hasReason(error, "AlreadyExists")) throw error;
          const existing = await resource.get(splitKey(keyOf(revision)));
          if (sameData(existing, data)) return { revision: existing, collisionCount: count };
        }
      }
    },
    raise: (revision) => resource.update(revision),
    async delete(revision) {
      try {
        await resource.delete(splitKey(keyOf(revision)), { reason: "there are more than revisionHistoryLimit" });
      } catch (error) {
        if (!hasReason(error, "NotFound")) throw error;
      }
    },
  };
}
