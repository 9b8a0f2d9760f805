/**
 * Tries authorizers in order: the first that allows or denies decides; reasons of those without an opinion are kept.
 */

import type { User } from "../machinery/meta/user.ts";
import { aggregate } from "../machinery/status/aggregate.ts";
import type { Attributes, Authorizer, Decision, RulesAnswer } from "./contract.ts";

export function createUnion(authorizers: readonly Authorizer[]): Authorizer {
  return {
    name: authorizers.map((authorizer) => authorizer.name).join(","),
    authorize: (attributes) => decide(authorizers, 0, attributes, { reasons: [], errors: [] }),
    rulesFor: (user, namespace) => joinRules(authorizers, user, namespace),
  };
}

/** Synchronous as long as the modules are. */
function decide(
  authorizers: readonly Authorizer[],
  start: number,
  attributes: Attributes,
  found: Found,
): Decision | Promise<Decision> {
  for (let index = start; index < authorizers.length; index++) {
    const decision = authorizers[index]!.authorize(attributes);
    if (decision instanceof Promise) {
      return decision.then((settled) => {
        if (settled.outcome !== "none") return withErrors(settled, found);
        return decide(authorizers, index + 1, attributes, keep(found, settled));
      });
    }
    if (decision.outcome !== "none") return withErrors(decision, found);
    keep(found, decision);
  }
  return withErrors({ outcome: "none", reason: found.reasons.join("\n") }, found);
}

/** What authorizers without an opinion have said. */
interface Found {
  readonly reasons: string[];
  readonly errors: string[];
}

function keep(found: Found, { reason, error }: Decision): Found {
  if (reason !== "") found.reasons.push(reason);
  if (error !== undefined) found.errors.push(error);
  return found;
}

/** A decision keeps the errors of those that were asked before. */
function withErrors(decision: Decision, { errors }: Found): Decision {
  if (errors.length === 0) return decision;
  const all = decision.error === undefined ? errors : [...errors, decision.error];
  return { ...decision, error: aggregate(all) };
}

async function joinRules(authorizers: readonly Authorizer[], user: User, namespace: string): Promise<RulesAnswer> {
  const answers = await Promise.all(
    authorizers.map((authorizer) => authorizer.rulesFor?.(user, namespace) ?? cannotTell(authorizer.name)),
  );
  const errors = answers.flatMap((answer) => (answer.evaluationError ? [answer.evaluationError] : []));
  return {
    resourceRules: answers.flatMap((answer) => answer.resourceRules),
    nonResourceRules: answers.flatMap((answer) => answer.nonResourceRules),
    incomplete: answers.some((answer) => answer.incomplete),
    ...(errors.length > 0 ? { evaluationError: aggregate(errors) } : {}),
  };
}

function cannotTell(name: string): RulesAnswer {
  return {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: `the authorizer ${name} cannot list rules`,
  };
}
