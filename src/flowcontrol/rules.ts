/** The rules of flow schemas, prepared for fast comparison with requests. */

import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from "../api/flowcontrol/v1beta1/flow-schema-spec.ts";
import type { Attributes } from "../authz/contract.ts";

/** Undefined: all names. */
type Names = ReadonlySet<string> | undefined;

export type RequestMatch = (request: Attributes) => boolean;

/** Objects do not change, so an unchanged rule is compiled once however often another schema changes. */
const compiled = new WeakMap<PolicyRulesWithSubjects, RequestMatch>();

/** Whether a request is one of those that the resource rules and non-resource rules of a rule name. Subjects are not compared. */
export function compileRule(rule: PolicyRulesWithSubjects): RequestMatch {
  let matches = compiled.get(rule);
  if (matches === undefined) {
    matches = compile(rule);
    compiled.set(rule, matches);
  }
  return matches;
}

function compile({ resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): RequestMatch {
  const resources = resourceRules.map(compileResourceRule);
  const paths = nonResourceRules.map(compileNonResourceRule);
  return (request) => {
    for (const matches of request.isResource ? resources : paths) if (matches(request)) return true;
    return false;
  };
}

function compileResourceRule(rule: ResourcePolicyRule): RequestMatch {
  const verbs = namesOf(rule.verbs);
  const groups = namesOf(rule.apiGroups);
  const resources = namesOf(rule.resources);
  const namespaces = namesOf(rule.namespaces);
  const { clusterScope = false } = rule;
  return (request) =>
    includes(verbs, request.verb) &&
    includes(groups, request.group) &&
    (resources === undefined || resources.has(resourceOf(request))) &&
    (request.namespace === "" ? clusterScope : includes(namespaces, request.namespace));
}

function compileNonResourceRule({ verbs, nonResourceURLs }: NonResourcePolicyRule): RequestMatch {
  const allowed = namesOf(verbs);
  const paths = namesOf(nonResourceURLs);
  // "/healthz/*" matches everything below /healthz, but not /healthz itself.
  const prefixes = (nonResourceURLs ?? []).filter((url) => url.endsWith("*")).map((url) => url.slice(0, -1));
  return ({ verb, path }) =>
    includes(allowed, verb) && (includes(paths, path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

const resourceOf = ({ resource, subresource }: Attributes) =>
  subresource === "" ? resource : `${resource}/${subresource}`;

const includes = (names: Names, name: string) => names === undefined || names.has(name);

function namesOf(listed: readonly string[] | undefined): Names {
  return listed?.includes("*") ? undefined : new Set(listed);
}
