/** What nodes may do with objects that selectors tell apart: a node sees its own pods and slices, and itself. */

import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { type Attributes, noOpinion } from "./contract.ts";
import { allow, type Judge, none, unrelated } from "./node-decisions.ts";
import type { NodeGraph } from "./node-graph.ts";

export function selectedResources(graph: NodeGraph, vocabulary: Vocabulary): ReadonlyMap<string, Judge> {
  const pod: Judge = (node, asked) => {
    const { verb, namespace, name } = asked;
    switch (asked.subresource) {
      case "":
        if (verb === "get") return graph.pod(namespace, name)?.node === node ? allow : unrelated(node);
        if (verb === "list" || verb === "watch")
          return selectsNode(node, asked) ? allow : none("a node can only list and watch pods by spec.nodeName");
        // The NodeRestriction plugin decides which ones.
        return verb === "create" || verb === "delete" ? allow : noOpinion;
      case "status":
        return verb === "update" || verb === "patch" ? allow : noOpinion;
      case "eviction":
        return verb === "create" ? allow : noOpinion;
      default:
        return noOpinion;
    }
  };
  const slice: Judge = (node, asked) => {
    if (asked.subresource !== "") return none("a node cannot use subresources of resource slices");
    if (asked.verb === "create") return allow;
    if (!collectionVerbs.has(asked.verb))
      return sliceVerbs.has(asked.verb) && graph.hasSlice(node, asked.name) ? allow : unrelated(node);
    return selectsNode(node, asked) ? allow : none("a node can only select resource slices by spec.nodeName");
  };
  const deviceClaim: Judge = (node, { verb, subresource, namespace, name }) => {
    if (verb !== "get" || subresource !== "") return none("a node can only get single resource claims");
    return graph.uses(node, { kind: "device-claim", namespace, name }) ? allow : unrelated(node);
  };
  return new Map([
    ["/pods", pod],
    ["/nodes", itself],
    [`${vocabulary.group("resource.orch.io")}/resourceslices`, slice],
    [`${vocabulary.group("resource.orch.io")}/resourceclaims`, deviceClaim],
    ["/serviceaccounts", account(graph)],
  ]);
}

const sliceVerbs: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"]);
const collectionVerbs: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

function selectsNode(node: string, { fieldSelector = [] }: Attributes): boolean {
  return fieldSelector.some(
    ({ key, operator, values }) => key === "spec.nodeName" && operator === "In" && values[0] === node,
  );
}

/** A list or watch that selects one name is a request for that name. */
const itself: Judge = (node, { verb, subresource, name }) => {
  const writes = verb === "update" || verb === "patch";
  if (subresource !== "") return subresource === "status" && writes ? allow : noOpinion;
  if (writes || verb === "create") return allow;
  if (verb !== "get" && verb !== "list" && verb !== "watch") return noOpinion;
  return name === node ? allow : none("a node can only read its own Node");
};

/** Tokens for the accounts of its pods, and those accounts themselves. */
const account =
  (graph: NodeGraph): Judge =>
  (node, { verb, subresource, namespace, name }) => {
    const isRead = verb === "get" && subresource === "";
    const isToken = verb === "create" && subresource === "token";
    if (!isRead && !isToken) return none("a node can only read service accounts and create their tokens");
    return name !== "" && graph.uses(node, { kind: "account", namespace, name }) ? allow : unrelated(node);
  };
