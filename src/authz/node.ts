/** Authorizes node agents: each may read what its own pods need, use its own lease, and do what all nodes may do. */

import { nodeNameOf } from "../api/core/v1/node/user.ts";
import { type Release, valuesIn } from "../base/release.ts";
import { hasAt } from "../machinery/schema/features.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { componentRoles } from "./bootstrap/component-roles.ts";
import { renameRule } from "./bootstrap/declare.ts";
import { type Attributes, type Authorizer, type Decision, noOpinion } from "./contract.ts";
import { allow, type Judge, none, unrelated } from "./node-decisions.ts";
import type { NodeGraph, Related } from "./node-graph.ts";
import { selectedResources } from "./node-selectors.ts";
import { type CompiledRule, compileRule, ruleAllows } from "./policy-rule.ts";

interface NodeAuthorizerOptions {
  readonly graph: NodeGraph;
  readonly vocabulary: Vocabulary;
  /** The release whose rules for nodes apply. */
  readonly level?: Release;
}

export function createNodeAuthorizer({ graph, vocabulary, level = "1.21" }: NodeAuthorizerOptions): Authorizer {
  const rules = nodeRules(vocabulary, level);
  const has = hasAt(level);
  const own = new Map([
    ...ownResources(graph, vocabulary),
    ...(has("selectedByNodes") ? selectedResources(graph, vocabulary) : []),
  ]);
  return {
    name: "Node",
    authorize(asked) {
      const node = nodeNameOf(asked.user);
      if (node === undefined) return noOpinion;
      if (node === "") return none(`unknown node for user "${asked.user.name}"`);
      const decide = asked.isResource ? own.get(`${asked.group}/${asked.resource}`) : undefined;
      if (decide !== undefined) return decide(node, asked);
      return rules.some((rule) => ruleAllows(rule, asked)) ? allow : noOpinion;
    },
    rulesFor(user) {
      const isNode = nodeNameOf(user) !== undefined;
      return {
        resourceRules: [],
        nonResourceRules: [],
        incomplete: isNode,
        ...(isNode ? { evaluationError: "the rights of a node follow from its pods and are not listed" } : {}),
      };
    },
  };
}

/** The resources of which a node may read only its own objects. */
function ownResources(graph: NodeGraph, vocabulary: Vocabulary): ReadonlyMap<string, Judge> {
  const storage = vocabulary.group("storage.orch.io");
  const leaseNamespace = vocabulary.word("orch-node-lease");
  const related = (node: string, kind: Related, { namespace, name }: Attributes) =>
    name !== "" && graph.uses(node, { kind, namespace, name }) ? allow : unrelated(node);
  const readable =
    (kind: Related): Judge =>
    (node, asked) => {
      const reads = asked.verb === "get" || asked.verb === "list" || asked.verb === "watch";
      if (!reads || asked.subresource !== "") return none("a node can only read objects of this kind");
      if (asked.namespace === "" || asked.name === "") return none("a node can only read single objects of this kind");
      return related(node, kind, asked);
    };
  const gettable =
    (isOwn: (node: string, asked: Attributes) => boolean): Judge =>
    (node, asked) => {
      if (asked.verb !== "get" || asked.subresource !== "") return none("a node can only get single objects here");
      return asked.name !== "" && isOwn(node, asked) ? allow : unrelated(node);
    };
  const ownClaim = (node: string, { namespace, name }: Attributes) =>
    graph.uses(node, { kind: "claim", namespace, name });
  const claim: Judge = (node, asked) => {
    if (asked.subresource !== "status") return gettable(ownClaim)(node, asked);
    const writes = asked.verb === "update" || asked.verb === "patch";
    return writes ? related(node, "claim", asked) : none("a node can only update the status of a claim");
  };
  const token: Judge = (node, asked) =>
    asked.verb === "create" && asked.subresource === "token"
      ? related(node, "account", asked)
      : none("a node can only create tokens of service accounts");
  const lease: Judge = (node, asked) => {
    if (asked.namespace !== leaseNamespace) return none(`a node can only use leases in ${leaseNamespace}`);
    return ownName(node, asked);
  };
  return new Map<string, Judge>([
    ["/secrets", readable("secret")],
    ["/configmaps", readable("configmap")],
    ["/persistentvolumeclaims", claim],
    ["/persistentvolumes", gettable((node, asked) => graph.usesVolume(node, asked.name))],
    [`${storage}/volumeattachments`, gettable((node, asked) => graph.hasAttachment(node, asked.name))],
    ["/serviceaccounts", token],
    [`${vocabulary.group("coordination.orch.io")}/leases`, lease],
    [`${storage}/csinodes`, ownName],
  ]);
}

const singleVerbs: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"]);

/** An object with the node's own name. A create has no name yet; the NodeRestriction plugin checks it later. */
function ownName(node: string, asked: Attributes): Decision {
  if (!singleVerbs.has(asked.verb) || asked.subresource !== "") return none("a node can only use its own object here");
  return asked.verb === "create" || asked.name === node ? allow : none("a node can only use the object of its name");
}

/** What every node may do: the rules of the role `system:node`. */
function nodeRules(vocabulary: Vocabulary, level: Release): readonly CompiledRule[] {
  const role = componentRoles.find(({ name }) => name === "system:node");
  return valuesIn(level, role?.rules ?? []).map((rule) => compileRule(renameRule(rule, vocabulary)));
}
