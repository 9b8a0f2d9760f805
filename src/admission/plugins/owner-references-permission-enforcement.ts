/** Changing the owners of an object requires the right to delete it, and blocking an owner's deletion the right to update that owner. */

import { Pod } from "../../api/core/v1/pod.ts";
import type { Attributes } from "../../authz/contract.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { type BoundKind, isVersionOf } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { timeout } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

type OwnerReference = NonNullable<ApiObject["metadata"]["ownerReferences"]>[number];

export function createOwnerReferencesPermissionEnforcement(context: AdmissionContext): AdmissionPlugin {
  const may = async (request: AdmissionRequest, question: Question): Promise<boolean> => {
    const { outcome } = await context.authorizer.authorize(attributesOf(request, question));
    return outcome === "allow";
  };
  const check = async (request: AdmissionRequest): Promise<void> => {
    const { kind, subresource, namespace, name } = request;
    // A create sets the owners together with the object, so it does not need the right to delete the object.
    if (request.operation !== "CREATE") {
      const question = { verb: "delete", kind, subresource, namespace, name };
      if (!(await may(request, question))) {
        throw refuse(request, "metadata.ownerReferences: may only be changed by users who may delete the object");
      }
    }
    const slice = new TimeSlice();
    for (const owner of newBlockers(request)) {
      // An object may name thousands of owners, and each needs an authorization.
      if (slice.isLong) await slice.next();
      if (request.signal.aborted) throw timeout("the request was canceled or timed out");
      const owners = ownerKind(context, owner);
      if (owners === undefined) {
        const named = `${owner.apiVersion} ${owner.kind}`;
        throw refuse(request, `blockOwnerDeletion cannot be set for owner ${owner.name}: there is no kind ${named}`);
      }
      const place = owners.namespaced ? namespace : "";
      const question = { verb: "update", kind: owners, subresource: "finalizers", namespace: place, name: owner.name };
      if (await may(request, question)) continue;
      const path = `${owners.resource}/finalizers`;
      throw refuse(
        request,
        `blockOwnerDeletion of owner ${owner.name} may only be set by users who may update ${path}`,
      );
    }
  };
  return {
    name: "OwnerReferencesPermissionEnforcement",
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") &&
      !isPodStatus(request) &&
      isChanging(request),
    validate: check,
  };
}

/** The status of a pod cannot change its owners, and old node agents send broken ones. */
function isPodStatus({ kind, subresource }: AdmissionRequest): boolean {
  return isVersionOf(kind, Pod) && subresource === "status";
}

/** The body of a subresource may be options without metadata. */
const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] =>
  (object as Partial<ApiObject> | undefined)?.metadata?.ownerReferences ?? [];

function isChanging({ object, old }: AdmissionRequest): boolean {
  return !sameValue(ownersOf(object), ownersOf(old));
}

/** Owners that are new and blocking, or that were not blocking before. */
function newBlockers({ object, old }: AdmissionRequest): readonly OwnerReference[] {
  const before = new Map(ownersOf(old).map((owner) => [owner.uid, owner]));
  return ownersOf(object).filter(
    (owner) => owner.blockOwnerDeletion === true && before.get(owner.uid)?.blockOwnerDeletion !== true,
  );
}

function ownerKind({ catalog }: AdmissionContext, { apiVersion, kind }: OwnerReference): BoundKind | undefined {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  return catalog.byKind(group ?? "", version ?? "", kind);
}

interface Question {
  readonly verb: string;
  readonly kind: BoundKind;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

function attributesOf({ user }: AdmissionRequest, question: Question): Attributes {
  const { verb, kind, subresource, namespace, name } = question;
  const { group, version, resource } = kind;
  return { user, verb, isResource: true, path: "", group, version, resource, subresource, namespace, name };
}
