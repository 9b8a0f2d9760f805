/** Keeps node agents to what is theirs: their own Node, lease and CSINode, and pods that are bound to them. */

import { isDeepStrictEqual } from "node:util";
import type { Node } from "../../api/core/v1/node.ts";
import { nodeNameOf } from "../../api/core/v1/node-user.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podReferences } from "../../api/core/v1/pod-references.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound } from "../../machinery/status/status.ts";
import { type AdmissionContext, findKind, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";
import { forbiddenNodeLabels } from "./node-labels.ts";

type Judge = (request: AdmissionRequest, node: string) => void | Promise<void>;

export function createNodeRestriction(context: AdmissionContext): AdmissionPlugin {
  const { vocabulary } = context.catalog.environment;
  const leaseNamespace = vocabulary.word("orch-node-lease");
  const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>([
    ["/pods", (request, node) => judgePod(context, request, node)],
    ["/nodes", (request, node) => judgeNode(context, request, node)],
    ["/persistentvolumeclaims", judgeClaim],
    ["/serviceaccounts", (request, node) => judgeToken(context, request, node)],
    [
      "coordination.orch.io/leases",
      (request, node) => {
        if (request.namespace !== leaseNamespace)
          throw refuse(request, `leases of nodes are kept in ${leaseNamespace}`);
        mustBeOwn(request, node);
      },
    ],
    ["storage.orch.io/csinodes", mustBeOwn],
  ]);
  const judgeOf = ({ kind: { declaration } }: AdmissionRequest) =>
    declaration.origin === "builtin" ? judges.get(`${declaration.group}/${declaration.resource}`) : undefined;
  return {
    name: "NodeRestriction",
    handles: (request) => request.operation !== "CONNECT" && nodeNameOf(request.user) !== undefined,
    // In the mutating phase, as v1.21: what plugins do to the object afterwards is not held against the node.
    mutate(request) {
      const node = nodeNameOf(request.user) ?? "";
      if (node === "") throw refuse(request, `user "${request.user.name}" names no node`);
      return judgeOf(request)?.(request, node);
    },
  };
}

function mustBeOwn(request: AdmissionRequest, node: string): void {
  const name = request.operation === "CREATE" ? request.object?.metadata.name : request.name;
  if (name !== node) throw refuse(request, `node "${node}" may write only what has its own name`);
}

function judgePod(context: AdmissionContext, request: AdmissionRequest, node: string): void | Promise<void> {
  const { operation, subresource } = request;
  if (subresource === "" && operation === "CREATE") return judgeMirrorPod(context, request, node);
  if (subresource === "" && operation === "DELETE") {
    if (nodeOf(request.old) !== node) throw refuse(request, `node "${node}" may delete only pods that are bound to it`);
    return;
  }
  if (subresource === "status" && operation === "UPDATE") {
    if (nodeOf(request.old) !== node) {
      throw refuse(request, `node "${node}" may write the status only of pods that are bound to it`);
    }
    if (!isDeepStrictEqual(labelsOf(request.object), labelsOf(request.old))) {
      throw refuse(request, `node "${node}" may not change the labels of a pod through its status`);
    }
    return;
  }
  if (subresource === "eviction" && operation === "CREATE") return judgeEviction(context, request, node);
  throw refuse(request, `node "${node}" may only create and delete mirror pods, write their status, and evict pods`);
}

async function judgeEviction(context: AdmissionContext, request: AdmissionRequest, node: string): Promise<void> {
  const pod = await podNamed(context, request, request.name || (request.object?.metadata.name ?? ""));
  if (nodeOf(pod) !== node) throw refuse(request, `node "${node}" may evict only pods that are bound to it`);
}

/** A mirror pod stands for one that the node runs from its own disk; it must not lend the node rights to anything. */
async function judgeMirrorPod(context: AdmissionContext, request: AdmissionRequest, node: string): Promise<void> {
  const { vocabulary } = context.catalog.environment;
  const pod = request.object as unknown as Pod; // told apart by the resource
  const { annotations, ownerReferences = [] } = pod.metadata;
  if (annotations === undefined || !Object.hasOwn(annotations, vocabulary.word("orch.io/config.mirror"))) {
    throw refuse(request, `the pod is no mirror pod; node "${node}" may create nothing else`);
  }
  if (nodeOf(request.object) !== node) throw refuse(request, `node "${node}" may only create pods bound to itself`);
  const [owner] = ownerReferences;
  if (owner === undefined || ownerReferences.length > 1) {
    throw refuse(request, `a pod that node "${node}" creates must have exactly one owner, the node itself`);
  }
  if (owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    throw refuse(request, `a pod that node "${node}" creates must be owned by that node`);
  }
  if (owner.controller !== true) throw refuse(request, "the owner of a mirror pod must be its controller");
  if (owner.blockOwnerDeletion === true) throw refuse(request, "a mirror pod must not block the deletion of its node");
  const kind = findKind(context, "", "v1", "nodes");
  const found = kind && (await lookUp(context, kind, { namespace: "", name: node }));
  // v1.21 names the kind, not the resource, where a plugin looks something up.
  if (found === undefined) throw notFound({ group: "", kind: "node" }, node);
  if (found.metadata.uid !== owner.uid) throw refuse(request, `the uid of the owner is not that of node "${node}"`);
  const [reference] = podReferences(request.object ?? {});
  if (reference !== undefined) {
    throw refuse(
      request,
      `a mirror pod may refer to nothing in its namespace, but names ${reference.kind} "${reference.name}"`,
    );
  }
}

function judgeNode(context: AdmissionContext, request: AdmissionRequest, node: string): void {
  if (request.operation === "CREATE" || request.operation === "UPDATE") judgeNodeFields(context, request, node);
  const name = request.name || (request.object?.metadata.name ?? "");
  if (name !== node) throw refuse(request, `node "${node}" may not change another node`);
}

function judgeNodeFields(context: AdmissionContext, request: AdmissionRequest, node: string): void {
  const next = request.object as unknown as Node; // told apart by the resource
  const old = request.old as unknown as Node | undefined; // likewise
  // A node reads what its configuration names, so it must not choose the name.
  const { configSource } = next.spec ?? {};
  if (configSource !== undefined && !isDeepStrictEqual(configSource, old?.spec?.configSource)) {
    throw refuse(request, `node "${node}" may not set its own configSource`);
  }
  // Nor make itself disappear with an object that somebody else can delete.
  if (!isDeepStrictEqual(ownersOf(next), ownersOf(old))) {
    throw refuse(request, `node "${node}" may not change its own ownerReferences`);
  }
  if (old !== undefined && !isDeepStrictEqual(next.spec?.taints ?? [], old.spec?.taints ?? [])) {
    throw refuse(request, `node "${node}" may not change its own taints`);
  }
  const { vocabulary } = context.catalog.environment;
  const labels = forbiddenNodeLabels(labelsOf(request.object), labelsOf(request.old), vocabulary);
  if (labels.length > 0) throw refuse(request, `node "${node}" may not change the labels ${labels.join(", ")}`);
}

/** A claim that has grown is announced by the node that has grown it: capacity and conditions, nothing else. */
function judgeClaim(request: AdmissionRequest, node: string): void {
  if (request.subresource !== "status" || request.operation !== "UPDATE") {
    throw refuse(request, `node "${node}" may write nothing of a claim but its status`);
  }
  if (!isDeepStrictEqual(withoutGrowth(request.object), withoutGrowth(request.old))) {
    throw refuse(request, `node "${node}" may change only capacity and conditions of a claim`);
  }
}

function withoutGrowth(claim: ApiObject | undefined): unknown {
  if (claim === undefined) return undefined;
  const { metadata, status = {}, ...rest } = claim as ApiObject & { status?: Record<string, unknown> }; // decoded
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
  const { capacity: _capacity, conditions: _conditions, ...state } = status;
  return { ...rest, metadata: kept, status: state };
}

/** A token that a node asks for ends with a pod of that node. */
async function judgeToken(context: AdmissionContext, request: AdmissionRequest, node: string): Promise<void> {
  if (request.operation !== "CREATE" || request.subresource !== "token") return;
  const { spec } = (request.object ?? {}) as { spec?: { boundObjectRef?: Partial<Record<string, string>> | null } }; // a TokenRequest
  const bound = spec?.boundObjectRef ?? {};
  if (bound["apiVersion"] !== "v1" || bound["kind"] !== "Pod" || !bound["name"]) {
    throw refuse(request, `node "${node}" may only ask for tokens that are bound to a pod`);
  }
  if (!bound["uid"]) throw refuse(request, `node "${node}" must name the uid of the pod`);
  const pod = await podNamed(context, request, bound["name"]);
  if (pod.metadata.uid !== bound["uid"]) throw refuse(request, `the uid of pod "${bound["name"]}" is another`);
  if (nodeOf(pod) !== node) throw refuse(request, `pod "${bound["name"]}" is not bound to node "${node}"`);
}

async function podNamed(context: AdmissionContext, request: AdmissionRequest, name: string): Promise<ApiObject> {
  const kind = findKind(context, "", "v1", "pods");
  const found = kind && (await lookUp(context, kind, { namespace: request.namespace, name }));
  // v1.21 names the kind, not the resource, where a plugin looks something up.
  if (found === undefined) throw notFound({ group: "", kind: "pod" }, name);
  return found;
}

/** "": the pod is bound to no node. */
function nodeOf(pod: ApiObject | undefined): string {
  return (pod as unknown as Pod | undefined)?.spec?.nodeName ?? ""; // callers hand over pods
}

function labelsOf(object: ApiObject | undefined): Readonly<Record<string, string>> {
  return object?.metadata.labels ?? {};
}

function ownersOf(node: Node | undefined): unknown {
  return node?.metadata.ownerReferences ?? [];
}
