/** SelfSubjectRulesReview: all that the caller may do in a namespace. */

import type { Authorizer, RulesAnswer } from "../../authz/contract.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { CreateAction } from "../../registry/contract.ts";

const cannotTell: RulesAnswer = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  evaluationError: "no authorizer can list rules",
};

export function createSelfSubjectRulesReview(authorizer: Authorizer): CreateAction {
  return {
    async create({ kind, body, context }) {
      const { namespace = "" } = (body.spec ?? {}) as { namespace?: string }; // decoded by the declaration
      if (namespace === "") throw badRequest("a namespace must be given to review the rules in");
      const answer = (await authorizer.rulesFor?.(context.user, namespace)) ?? cannotTell;
      return {
        code: 201,
        // What the client sent is not sent back: neither metadata nor the namespace, as in v1.21.
        object: {
          kind: kind.kind,
          apiVersion: kind.apiVersion,
          metadata: { creationTimestamp: null },
          spec: {},
          status: {
            resourceRules: answer.resourceRules.map((rule) => ({
              verbs: rule.verbs,
              ...nonEmpty("apiGroups", rule.apiGroups),
              ...nonEmpty("resources", rule.resources),
              ...nonEmpty("resourceNames", rule.resourceNames),
            })),
            nonResourceRules: answer.nonResourceRules.map((rule) => ({
              verbs: rule.verbs,
              ...nonEmpty("nonResourceURLs", rule.nonResourceURLs),
            })),
            incomplete: answer.incomplete,
            ...(answer.evaluationError ? { evaluationError: answer.evaluationError } : {}),
          },
        },
      };
    },
  };
}

function nonEmpty(key: string, values: readonly string[]): Record<string, readonly string[]> {
  return values.length === 0 ? {} : { [key]: values };
}
