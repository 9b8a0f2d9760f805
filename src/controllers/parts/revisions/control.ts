/** Plans for the ControllerRevisions of an owner: which are its own, the one of its template, and those that are deleted. */

import { ControllerRevision } from "../../../api/apps/v1/controller-revision.ts";
import { inTimeSlices } from "../../../base/time-slice.ts";
import type { Client } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf, splitKey } from "../../../client/informer/keys.ts";
import { hasReason } from "../../../client/requests/send.ts";
import { create, type Plan, type Request, read, remove, update } from "../../plan.ts";
import { adoptAndRelease } from "../ownership/adopt.ts";
import { byController } from "../ownership/by-controller.ts";
import { claim } from "../ownership/claim.ts";
import type { Owner } from "../ownership/ownership.ts";
import { sameData, sortRevisions } from "./history.ts";

/** The revisions of an owner, oldest first; orphans that its selector matches are adopted. */
type RevisionsOf = (owner: Owner) => Promise<ControllerRevision[]>;

export function createRevisionsOf(client: Client, informer: Informer<ControllerRevision>): RevisionsOf {
  const index = byController(informer);
  return async ({ object, reference, selector, read: readOwner }) => {
    const claims = await inTimeSlices(claim(index.candidatesOf(object, selector), { owner: object, selector }));
    // A revision that stopped matching keeps its owner, as in v1.21.
    const adoption = { client: client.of(ControllerRevision), owner: reference, readOwner };
    return sortRevisions(await adoptAndRelease({ ...claims, release: [] }, adoption));
  };
}

interface NewRevision {
  readonly data: unknown;
  readonly number: number;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  /** The hash that its name ends in, and the labels that contain it. */
  readonly hashOf: (collisionCount: number) => { readonly hash: string; readonly labels: Record<string, string> };
}

/** What follows once there is a revision of the template. */
type WithRevision = (revision: ControllerRevision, collisionCount: number) => Plan;

/** A longer name is cut, so that the hash fits. */
const ownerNameCharsMax = 223;

/** A name that an object with other data has raises the collision count. */
export function createRevision(owner: Owner, revision: NewRevision, collisionCount: number, then: WithRevision): Plan {
  const object = revisionObject(owner, revision, collisionCount);
  const creation = create(ControllerRevision, object);
  return {
    writes: [creation],
    next: (done) => then(done.of(creation) ?? object, collisionCount),
    failed(error) {
      if (!hasReason(error, "AlreadyExists")) return undefined;
      const existing = read(ControllerRevision, splitKey(keyOf(object)));
      return {
        recovered: true,
        reads: [existing],
        next(done) {
          const found = done.of(existing);
          if (found !== undefined && sameData(found, revision.data)) return then(found, collisionCount);
          return createRevision(owner, revision, collisionCount + (found === undefined ? 0 : 1), then);
        },
      };
    },
  };
}

/** Gives the revision another number. */
export function raiseRevision(revision: ControllerRevision, then: () => Plan): Plan {
  return { writes: [update(ControllerRevision, revision)], next: then };
}

export const removeRevision = (revision: ControllerRevision): Request<ControllerRevision> =>
  remove(ControllerRevision, splitKey(keyOf(revision)), { reason: "there are more than revisionHistoryLimit" });

function revisionObject({ object, reference }: Owner, revision: NewRevision, count: number): ControllerRevision {
  const { name = "", namespace } = object.metadata;
  const { data, number, annotations } = revision;
  const { hash, labels } = revision.hashOf(count);
  return {
    metadata: {
      name: `${name.slice(0, ownerNameCharsMax)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...revision.labels, ...labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [reference],
    },
    data,
    revision: number,
  };
}
