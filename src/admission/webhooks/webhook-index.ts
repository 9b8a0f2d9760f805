/**
 * Which webhooks of a list have a rule for a sort of request, and in which version they get the object.
 *
 * All requests of one sort (operation, kind, subresource) get the same answer, so it is computed once and cached until
 * the list or the served kinds change: a thousand webhooks that do not match cost a request one lookup.
 */

import type { BoundKind, Catalog, Family } from "../../machinery/schema/catalog.ts";
import type { AdmissionRequest, Operation } from "../../registry/contract/admission.ts";
import { type RuleSubject, ruleMatches } from "../match-rules.ts";
import type { Webhook } from "./webhook.ts";

export interface WebhookCandidate {
  readonly webhook: Webhook;
  /** The version of the resource that the rule names, in which the webhook is shown the object. */
  readonly kind: BoundKind;
}

export type WebhookIndex = (
  request: Pick<AdmissionRequest, "operation" | "kind" | "subresource">,
) => readonly WebhookCandidate[];

const none: readonly WebhookCandidate[] = [];

export function createWebhookIndex(webhooks: readonly Webhook[], catalog: Catalog): WebhookIndex {
  if (webhooks.length === 0) return () => none;
  const known = new WeakMap<BoundKind, Map<string, readonly WebhookCandidate[]>>();
  return ({ operation, kind, subresource }) => {
    let sorts = known.get(kind);
    if (sorts === undefined) {
      sorts = new Map();
      known.set(kind, sorts);
    }
    const sort = `${operation} ${subresource}`;
    let found = sorts.get(sort);
    if (found === undefined) {
      found = findCandidates(webhooks, operation, kind, subresource, catalog);
      sorts.set(sort, found);
    }
    return found;
  };
}

function findCandidates(
  webhooks: readonly Webhook[],
  operation: Operation,
  kind: BoundKind,
  subresource: string,
  catalog: Catalog,
): readonly WebhookCandidate[] {
  const subject = subjectOf(kind, operation, subresource);
  const others = inOrder(kind.family, catalog)
    .filter((version) => version !== kind && (subresource === "" || version.subresources.has(subresource)))
    .map((version) => ({ version, subject: subjectOf(version, operation, subresource) }));
  return webhooks.flatMap((webhook) => {
    if (webhook.rules.some((rule) => ruleMatches(rule, subject))) return [{ webhook, kind }];
    if (!webhook.matchesEquivalent) return [];
    // The first rule that names any equivalent decides.
    for (const rule of webhook.rules) {
      const equivalent = others.find((other) => ruleMatches(rule, other.subject));
      if (equivalent !== undefined) return [{ webhook, kind: equivalent.version }];
    }
    return [];
  });
}

/** Declared versions as discovery lists them, those of a definition as it does: of several that match, the first is taken. */
function inOrder({ versions }: Family, catalog: Catalog): readonly BoundKind[] {
  if (versions.some(({ declaration }) => declaration.origin !== "builtin")) return versions;
  const places = catalog
    .groups()
    .flatMap(({ group, versions: listed }) =>
      listed.map((version) => (group === "" ? version : `${group}/${version}`)),
    );
  return versions
    .filter(({ apiVersion }) => places.includes(apiVersion)) // a version that is not served is not an equivalent
    .sort((a, b) => places.indexOf(a.apiVersion) - places.indexOf(b.apiVersion));
}

const subjectOf = (kind: BoundKind, operation: Operation, subresource: string): RuleSubject => ({
  operation,
  group: kind.group,
  version: kind.version,
  resource: kind.resource,
  subresource,
  namespaced: kind.namespaced,
});
