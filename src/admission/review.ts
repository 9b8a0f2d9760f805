/** The AdmissionReview that a webhook is sent. */

import { Namespace } from "../api/core/v1/namespace.ts";
import { encodeJson } from "../machinery/json/json.ts";
import { type BoundKind, isVersionOf } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { AdmissionRequest, VersionedObjects } from "../registry/contract/admission.ts";
import type { ReviewVersion } from "./webhooks/webhook.ts";

export const reviewGroup = "admission.orch.io";

interface ReviewSubject {
  readonly request: AdmissionRequest;
  /** The version in which the webhook is shown the objects. */
  readonly kind: BoundKind;
  readonly objects: VersionedObjects;
  readonly uid: string;
  readonly version: ReviewVersion;
}

/** Members are in the order of v1.21. */
export function encodeReview({ request, kind, objects, uid, version }: ReviewSubject): string {
  const { vocabulary } = kind.family.environment;
  return encodeJson({
    kind: "AdmissionReview",
    apiVersion: `${vocabulary.group(reviewGroup)}/${version}`,
    request: {
      uid,
      ...requestMembers(request, kind),
      object: shown(objects.object, request),
      oldObject: shown(withoutOwners(objects.old, request), request),
      dryRun: request.dryRun,
      options: optionsOf(request),
    },
  });
}

/** What a request is about, and who sent it. */
export function requestMembers(request: AdmissionRequest, kind: BoundKind) {
  const { subresource, user } = request;
  return {
    kind: shownKind(kind, request),
    resource: resourceOf(kind),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: shownKind(request.kind, request),
    requestResource: resourceOf(request.kind),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(request.name === "" || request.ofCollection ? {} : { name: request.name }),
    ...(namespaceOf(request) === "" ? {} : { namespace: namespaceOf(request) }),
    operation: request.operation,
    userInfo: {
      username: user.name,
      ...(user.uid === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(user.extra.size === 0 ? {} : { extra: Object.fromEntries(user.extra) }),
    },
  };
}

/** A Namespace is in itself, also through one of its subresources. */
const namespaceOf = (request: AdmissionRequest): string => (isNamespace(request) ? request.name : request.namespace);

export const isNamespace = ({ kind }: AdmissionRequest): boolean => isVersionOf(kind, Namespace);

/** The kind of the objects; a subresource may have a different one. */
export function shownKind(kind: BoundKind, { subresource }: AdmissionRequest) {
  const below = kind.subresources.get(subresource);
  if (below?.accepts !== undefined) {
    const { group, version, kind: name } = below.accepts;
    return { group, version, kind: name };
  }
  const { group, version } = kind;
  return { group, version, kind: below?.connects === undefined ? kind.kind : (below.shownKind ?? kind.kind) };
}

const resourceOf = ({ group, version, resource }: BoundKind) => ({ group, version, resource });

function withoutOwners(old: ApiObject | undefined, { operation, kind }: AdmissionRequest): ApiObject | undefined {
  if (operation !== "UPDATE" || kind.family.environment.has("oldOwners")) return old;
  if (old?.metadata.managedFields === undefined) return old;
  const { managedFields: _managedFields, ...metadata } = old.metadata;
  return { ...old, metadata };
}

const optionKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

/** Named after what happens, not after the verb: a PATCH and a PUT may create or update. */
export function optionsOf({ operation, options }: AdmissionRequest): unknown {
  if (operation === "CONNECT") return null;
  const { force: _force, ...given } = options;
  return { ...given, kind: optionKinds[operation] };
}

/** The options of a connection have no metadata; here they have it because all objects do. */
function shown(object: ApiObject | undefined, { operation }: AdmissionRequest): unknown {
  if (object === undefined) return null;
  if (operation !== "CONNECT") return object;
  const { metadata: _metadata, ...options } = object;
  return options;
}
