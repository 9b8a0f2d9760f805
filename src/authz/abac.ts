/** Policies of a file: the first one that matches user, verb and target allows the request. */

import type { User } from "../machinery/meta/user.ts";
import type { AbacPolicy } from "./abac-policy.ts";
import type { Attributes, Authorizer } from "./contract.ts";
import { pathsMatch } from "./policy-rule.ts";

const readVerbs = ["get", "list", "watch"];

export function createAbac(policies: readonly AbacPolicy[]): Authorizer {
  return {
    name: "ABAC",
    authorize: (asked) =>
      policies.some((policy) => matches(policy, asked))
        ? { outcome: "allow", reason: "" }
        : { outcome: "none", reason: "No policy matched." },
    rulesFor(user, namespace) {
      const mine = policies.filter(
        (policy) => isFor(policy, user) && (policy.namespace === "*" || policy.namespace === namespace),
      );
      const verbs = ({ readonly }: AbacPolicy) => (readonly ? readVerbs : ["*"]);
      return {
        resourceRules: mine
          .filter(({ resource }) => resource !== "")
          .map((policy) => ({
            verbs: verbs(policy),
            apiGroups: [policy.apiGroup],
            resources: [policy.resource],
            resourceNames: [],
          })),
        nonResourceRules: mine
          .filter(({ nonResourcePath }) => nonResourcePath !== "")
          .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
        incomplete: false,
      };
    },
  };
}

function matches(policy: AbacPolicy, asked: Attributes): boolean {
  if (!isFor(policy, asked.user)) return false;
  if (policy.readonly && !readVerbs.includes(asked.verb)) return false;
  if (!asked.isResource) return policy.nonResourcePath !== "" && pathsMatch([policy.nonResourcePath], asked.path);
  return (
    equalsOrAll(policy.namespace, asked.namespace) &&
    equalsOrAll(policy.resource, asked.resource) &&
    equalsOrAll(policy.apiGroup, asked.group)
  );
}

/** User and group must both match if both are named; a policy that names neither applies to no user. */
function isFor({ user, group }: AbacPolicy, caller: User): boolean {
  if (user !== "" && user !== caller.name) return false;
  if (group !== "" && !caller.groups.includes(group)) return false;
  return user !== "" || group !== "";
}

function equalsOrAll(pattern: string, value: string): boolean {
  return pattern === "*" || pattern === value;
}
