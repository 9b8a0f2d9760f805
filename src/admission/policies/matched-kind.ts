/** Whether the rules of a policy or binding match a request, and in which version its expressions see the objects. */

import type { NamedRuleWithOperations } from "../../api/admissionregistration/v1/match-resources.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { ruleMatches } from "../match-rules.ts";
import type { CompiledMatch } from "./compiled-policy.ts";

/** Undefined: the rules do not match. No rules at all match everything. */
export function matchedKind(
  { rules, excluded, matchesEquivalent }: CompiledMatch,
  request: AdmissionRequest,
): BoundKind | undefined {
  if (firstMatch(excluded, request, matchesEquivalent) !== undefined) return undefined;
  return rules.length === 0 ? request.kind : firstMatch(rules, request, matchesEquivalent);
}

function firstMatch(
  rules: readonly NamedRuleWithOperations[],
  request: AdmissionRequest,
  matchesEquivalent: boolean,
): BoundKind | undefined {
  const { kind, subresource, operation } = request;
  const name = nameOf(request);
  const named = rules.filter(({ resourceNames = [] }) => resourceNames.length === 0 || resourceNames.includes(name));
  const matches = (rule: NamedRuleWithOperations, version: BoundKind): boolean => {
    const { group, version: apiVersion, resource, namespaced } = version;
    return ruleMatches(rule, { operation, group, version: apiVersion, resource, subresource, namespaced });
  };
  if (named.some((rule) => matches(rule, kind))) return kind;
  if (!matchesEquivalent) return undefined;
  const others = kind.family.versions.filter(
    (version) => version !== kind && (subresource === "" || version.subresources.has(subresource)),
  );
  for (const rule of named) {
    const found = others.find((version) => matches(rule, version));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A generated name is known by now. */
export const nameOf = ({ name, object }: AdmissionRequest): string => name || object?.metadata.name || "";
