/** Restricts node agents to their own objects: their Node, lease and CSINode, and pods that are bound to them. */

import { isDeepStrictEqual } from "node:util";
import { TokenRequest } from "../../api/authentication/v1/token-request.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { PodCertificateRequest } from "../../api/certificates/v1/pod-certificate-request.ts";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { nodeNameOf } from "../../api/core/v1/node/user.ts";
import { Node } from "../../api/core/v1/node.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { podReferences } from "../../api/core/v1/pod/references.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { Eviction } from "../../api/policy/v1beta1/eviction.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { CSINode } from "../../api/storage/v1/csi-node.ts";
import { parseCertificateRequestPem } from "../../base/csr.ts";
import { nameValues, oid } from "../../base/x509.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound } from "../../machinery/status/status.ts";
import type { AdmissionRequest, Operation } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { forbiddenNodeLabels } from "../node-labels.ts";
import { on, type PluginRule, plugin, type RequestOn, under } from "../on.ts";
import { checkAudiences } from "../token-audiences.ts";

const anyWrite: readonly Operation[] = ["CREATE", "UPDATE", "DELETE"];

export function createNodeRestriction(context: AdmissionContext): AdmissionPlugin {
  const rules = plugin("NodeRestriction", [
    ...podRules(context),
    on(under(Node, "*"), ["CREATE", "UPDATE"], {
      mutate(request) {
        checkNodeFields(context, request);
        mustBeSelf(request);
      },
    }),
    on(under(Node, "*"), "DELETE", { mutate: mustBeSelf }),
    on(under(PersistentVolumeClaim, "status"), "UPDATE", { mutate: checkClaim }),
    on(under(PersistentVolumeClaim, "*"), anyWrite, {
      mutate(request) {
        throw refuse(request, `node "${nodeOf(request)}" may write only the status of a claim`);
      },
    }),
    on(under(ServiceAccount, "token", TokenRequest), "CREATE", { mutate: (request) => checkToken(context, request) }),
    leaseRule(context),
    on(under(CSINode, "*"), anyWrite, { mutate: mustBeOwn }),
    on(ResourceSlice, "CREATE", { mutate: checkSlice }),
    on(PodCertificateRequest, "CREATE", { mutate: (request) => checkPodCertificate(context, request) }),
    ...(context.catalog.environment.has("nodeCertificates") ? [certificateRule(context)] : []),
  ]);
  return {
    name: rules.name,
    handles: (request) => request.operation !== "CONNECT" && nodeNameOf(request.user) !== undefined,
    // In the mutating phase, as in v1.21: changes that later plugins make are not attributed to the node.
    mutate(request) {
      if (nodeOf(request) === "")
        throw refuse(request, `the name of user "${request.user.name}" does not identify a node`);
      return rules.mutate?.(request);
    },
  };
}

/** The node that sends the request. */
const nodeOf = ({ user }: AdmissionRequest): string => nodeNameOf(user) ?? "";

function mustBeOwn(request: AdmissionRequest): void {
  const node = nodeOf(request);
  const name = request.operation === "CREATE" ? request.object?.metadata.name : request.name;
  if (name !== node) throw refuse(request, `node "${node}" may write only objects that have its own name`);
}

/** A node may list only its own devices. */
function checkSlice(request: RequestOn<ResourceSlice, "CREATE">): void {
  const node = nodeOf(request);
  if ((request.object.spec.nodeName ?? "") === node) return;
  throw refuse(request, `node "${node}" may only create resource slices whose nodeName is its own name`);
}

/** A node asks for certificates of its own pods, as they are. */
async function checkPodCertificate(
  context: AdmissionContext,
  request: RequestOn<PodCertificateRequest, "CREATE">,
): Promise<void> {
  const node = nodeOf(request);
  const { spec } = request.object;
  if (spec.nodeName !== node)
    throw refuse(request, `node "${node}" may only request certificates with its own name as nodeName`);
  const pod = await lookUp(context, context.catalog.of(Pod), { namespace: request.namespace, name: spec.podName });
  const isSame =
    pod !== undefined &&
    pod.metadata.uid === spec.podUID &&
    pod.spec?.nodeName === node &&
    (pod.spec.serviceAccountName ?? "") === spec.serviceAccountName;
  if (!isSame) throw refuse(request, `node "${node}" may only request certificates of pods that are bound to it`);
}

/** Certificates of nodes are issued only to the node that they name. */
function certificateRule(context: AdmissionContext): PluginRule {
  const { vocabulary } = context.catalog.environment;
  const signers = ["orch.io/orch-apiserver-client-orchlet", "orch.io/orchlet-serving"].map((name) =>
    vocabulary.word(name),
  );
  return on(CertificateSigningRequest, "CREATE", {
    mutate(request) {
      const { signerName = "", request: encoded = "" } = request.object.spec ?? {};
      if (!signers.includes(signerName)) return;
      const [name, ...more] = commonNames(request, encoded);
      if (more.length === 0 && name === request.user.name) return;
      throw refuse(
        request,
        `node "${nodeOf(request)}" may only request certificates in its own name, "${request.user.name}"`,
      );
    },
  });
}

function commonNames(request: AdmissionRequest, encoded: string): readonly string[] {
  try {
    const { subject } = parseCertificateRequestPem(Buffer.from(encoded, "base64").toString("utf8"));
    return nameValues(subject, oid.commonName);
  } catch (cause) {
    throw refuse(request, `the request cannot be read: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function leaseRule(context: AdmissionContext): PluginRule {
  const namespace = context.catalog.environment.vocabulary.word("orch-node-lease");
  return on(under(Lease, "*"), anyWrite, {
    mutate(request) {
      if (request.namespace !== namespace) throw refuse(request, `leases of nodes must be in namespace ${namespace}`);
      mustBeOwn(request);
    },
  });
}

function podRules(context: AdmissionContext): readonly PluginRule[] {
  return [
    on(Pod, "CREATE", { mutate: (request) => checkMirrorPod(context, request) }),
    on(Pod, "DELETE", {
      mutate(request) {
        const node = nodeOf(request);
        if (isBoundTo(request.old, node)) return;
        throw refuse(request, `node "${node}" may delete only pods that are bound to it`);
      },
    }),
    on(under(Pod, "status"), "UPDATE", {
      mutate(request) {
        const node = nodeOf(request);
        if (!isBoundTo(request.old, node)) {
          throw refuse(request, `node "${node}" may write the status only of pods that are bound to it`);
        }
        if (!isDeepStrictEqual(labelsOf(request.object), labelsOf(request.old))) {
          throw refuse(request, `node "${node}" may not change the labels of a pod through its status`);
        }
        if (!isDeepStrictEqual(deviceClaimsOf(request.object), deviceClaimsOf(request.old))) {
          throw refuse(request, `node "${node}" may not change the resource claims of a pod`);
        }
      },
    }),
    on(under(Pod, "eviction", Eviction), "CREATE", { mutate: (request) => checkEviction(context, request) }),
    on(under(Pod, "*"), anyWrite, {
      mutate(request) {
        const may = "may only create and delete mirror pods, write their status, and evict pods";
        throw refuse(request, `node "${nodeOf(request)}" ${may}`);
      },
    }),
  ];
}

async function checkEviction(context: AdmissionContext, request: RequestOn<Eviction, "CREATE">): Promise<void> {
  const node = nodeOf(request);
  const pod = await podNamed(context, request, request.name || (request.object.metadata.name ?? ""));
  if (!isBoundTo(pod, node)) throw refuse(request, `node "${node}" may evict only pods that are bound to it`);
}

/** A mirror pod represents a pod that the node runs from its own disk; it must not give the node access to anything. */
async function checkMirrorPod(context: AdmissionContext, request: RequestOn<Pod, "CREATE">): Promise<void> {
  const node = nodeOf(request);
  const { vocabulary } = context.catalog.environment;
  const pod = request.object;
  const { annotations, ownerReferences = [] } = pod.metadata;
  if (annotations === undefined || !Object.hasOwn(annotations, vocabulary.word("orch.io/config.mirror"))) {
    throw refuse(request, `the pod is not a mirror pod; node "${node}" may create only mirror pods`);
  }
  if (!isBoundTo(pod, node))
    throw refuse(request, `node "${node}" can only create pods with spec.nodeName set to itself`);
  const [owner] = ownerReferences;
  if (owner === undefined || ownerReferences.length > 1) {
    throw refuse(request, `a pod that node "${node}" creates must have exactly one owner, the node itself`);
  }
  if (owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    throw refuse(request, `a pod that node "${node}" creates must be owned by that node`);
  }
  if (owner.controller !== true) throw refuse(request, "the owner of a mirror pod must be its controller");
  if (owner.blockOwnerDeletion === true) throw refuse(request, "a mirror pod must not block the deletion of its node");
  const found = await lookUp(context, context.catalog.of(Node), { namespace: "", name: node });
  // v1.21 names the kind, not the resource, where a plugin looks something up.
  if (found === undefined) throw notFound({ group: "", kind: "node" }, node);
  if (found.metadata.uid !== owner.uid) throw refuse(request, `the uid of the owner is not that of node "${node}"`);
  if (pod.spec?.resourceClaims?.length) throw refuse(request, "a mirror pod must not refer to resource claims");
  const [reference] = podReferences(pod);
  if (reference !== undefined) {
    throw refuse(
      request,
      `a mirror pod must not refer to other objects, but refers to ${reference.kind} "${reference.name}"`,
    );
  }
}

function mustBeSelf(request: AdmissionRequest): void {
  const node = nodeOf(request);
  const name = request.name || (request.object?.metadata.name ?? "");
  if (name !== node) throw refuse(request, `node "${node}" may not change another node`);
}

function checkNodeFields(context: AdmissionContext, request: RequestOn<Node>): void {
  const { object: next, old } = request;
  const node = nodeOf(request);
  // A node may read what its configuration names, so it must not choose the name.
  const { configSource } = next.spec ?? {};
  if (configSource !== undefined && !isDeepStrictEqual(configSource, old?.spec?.configSource)) {
    throw refuse(request, `node "${node}" may not set its own configSource`);
  }
  // Nor may it have an owner that another user can delete.
  if (!isDeepStrictEqual(ownersOf(next), ownersOf(old))) {
    throw refuse(request, `node "${node}" may not change its own ownerReferences`);
  }
  if (old !== undefined && !isDeepStrictEqual(next.spec?.taints ?? [], old.spec?.taints ?? [])) {
    throw refuse(request, `node "${node}" may not change its own taints`);
  }
  const { vocabulary } = context.catalog.environment;
  const labels = forbiddenNodeLabels(labelsOf(next), labelsOf(old), vocabulary);
  if (labels.length > 0) throw refuse(request, `node "${node}" is not allowed to modify labels: ${labels.join(", ")}`);
}

/** The node that has expanded a claim reports it: capacity and conditions, nothing else. */
function checkClaim(request: RequestOn<PersistentVolumeClaim, "UPDATE">): void {
  if (isDeepStrictEqual(withoutGrowth(request.object), withoutGrowth(request.old))) return;
  throw refuse(request, `node "${nodeOf(request)}" may change only capacity and conditions of a claim`);
}

function withoutGrowth({ metadata, status = {}, ...rest }: PersistentVolumeClaim): unknown {
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
  const { capacity: _capacity, conditions: _conditions, ...state } = status;
  return { ...rest, metadata: kept, status: state };
}

/** A token that a node requests must be bound to a pod of that node. */
async function checkToken(context: AdmissionContext, request: RequestOn<TokenRequest, "CREATE">): Promise<void> {
  const node = nodeOf(request);
  const { apiVersion, kind, name, uid } = request.object.spec?.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name) {
    throw refuse(request, `node "${node}" may only request tokens that are bound to a pod`);
  }
  if (!uid) throw refuse(request, `node "${node}" must name the uid of the pod`);
  const pod = await podNamed(context, request, name);
  if (pod.metadata.uid !== uid) throw refuse(request, `the uid of pod "${name}" does not match`);
  if (!isBoundTo(pod, node)) throw refuse(request, `pod "${name}" is not bound to node "${node}"`);
  if (context.catalog.environment.has("nodeAudiences")) await checkAudiences(context, request, pod);
}

async function podNamed(context: AdmissionContext, { namespace }: AdmissionRequest, name: string): Promise<Pod> {
  const found = await lookUp(context, context.catalog.of(Pod), { namespace, name });
  // v1.21 names the kind, not the resource, where a plugin looks something up.
  if (found === undefined) throw notFound({ group: "", kind: "pod" }, name);
  return found;
}

function isBoundTo({ spec }: Pod, node: string): boolean {
  return (spec?.nodeName ?? "") === node;
}

const deviceClaimsOf = ({ status }: Pod): unknown => status?.resourceClaimStatuses ?? [];

function labelsOf(object: ApiObject | undefined): Readonly<Record<string, string>> {
  return object?.metadata.labels ?? {};
}

function ownersOf(node: Node | undefined): unknown {
  return node?.metadata.ownerReferences ?? [];
}
