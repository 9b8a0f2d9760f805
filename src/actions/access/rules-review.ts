/** SelfSubjectRulesReview: everything that the caller may do in a namespace. */

import type { Authorizer, RulesAnswer } from "../../authz/contract.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { CreateAction } from "../../registry/contract/action.ts";

const cannotTell: RulesAnswer = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  evaluationError: "no authorizer supports listing rules",
};

/** Characters of all rules in one answer: other users decide how many rules a user has, and each caller gets a copy. */
export const rulesCharsMax = 1024 * 1024;

/** The first rules of an answer that fit; if some do not, the answer is marked as incomplete. */
function withinBounds(answer: RulesAnswer): RulesAnswer {
  let chars = 0;
  const fits = (...lists: readonly (readonly string[])[]): boolean => {
    for (const list of lists) {
      for (const text of list) {
        chars += text.length + 3; // quotes and a comma
        if (chars > rulesCharsMax) return false;
      }
    }
    return true;
  };
  const firstThat = <T>(rules: readonly T[], isFitting: (rule: T) => boolean): readonly T[] => {
    const end = rules.findIndex((rule) => !isFitting(rule));
    return end < 0 ? rules : rules.slice(0, end);
  };
  const resourceRules = firstThat(answer.resourceRules, ({ verbs, apiGroups, resources, resourceNames }) =>
    fits(verbs, apiGroups, resources, resourceNames),
  );
  const nonResourceRules = firstThat(answer.nonResourceRules, ({ verbs, nonResourceURLs }) =>
    fits(verbs, nonResourceURLs),
  );
  if (chars <= rulesCharsMax) return answer;
  const evaluationError = `there are more rules than fit into an answer of ${rulesCharsMax} characters; only the first are listed`;
  return { resourceRules, nonResourceRules, incomplete: true, evaluationError };
}

export function createSelfSubjectRulesReview(authorizer: Authorizer): CreateAction {
  return {
    async create({ kind, body, context }) {
      const { namespace = "" } = (body.spec ?? {}) as { namespace?: string }; // decoded by the declaration
      if (namespace === "") throw badRequest("a namespace must be given to review the rules in");
      // Many callers may request such a large answer at once; each answer is made in a separate turn of the event loop.
      const { environment } = kind.family;
      await nextTimeSlice();
      const answer = withinBounds((await authorizer.rulesFor?.(context.user, namespace)) ?? cannotTell);
      return {
        code: 201,
        // The answer does not repeat the metadata or the namespace that the client sent, as in v1.21.
        object: {
          kind: kind.kind,
          apiVersion: kind.apiVersion,
          metadata: environment.has("omittedCreationTime") ? {} : { creationTimestamp: null },
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
