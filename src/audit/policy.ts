/** Which requests are audited, and how much of them: the audit policy of v1.21. */

import { vocabularyHint } from "../vocabulary/by-name.ts";
import type { AuditedRequest, AuditedTarget, AuditLevel, Stage } from "./contract.ts";
import { levels, stages } from "./contract.ts";

export interface AuditVerdict {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<Stage>;
}

export interface AuditPolicy {
  /** The first rule that matches decides; without a match nothing is recorded. */
  check(request: AuditedRequest): AuditVerdict;
}

interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface Rule extends AuditVerdict {
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** How many rules a policy may have: each may be evaluated for every request. */
export const policyRulesMax = 1_000;

const nothing: AuditVerdict = { level: "None", omitStages: new Set() };

/** Throws an Error that names the field and what is allowed there. `group` is the server's own name of the audit group. */
export function parsePolicy(value: unknown, group: string): AuditPolicy {
  const root = record(value, "the policy");
  const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `${group}/${version}`);
  if (!versions.includes(String(root["apiVersion"])) || root["kind"] !== "Policy") {
    const hint = vocabularyHint(root["apiVersion"], "audit.orch.io", group);
    throw new Error(`must be a Policy of ${versions.join(" or ")}${hint}`);
  }
  const omitted = readStages(root["omitStages"], "omitStages");
  const given = list(root["rules"], "rules");
  if (given.length === 0) throw new Error("rules must not be empty");
  if (given.length > policyRulesMax) throw new Error(`rules must have at most ${policyRulesMax} items`);
  const rules = given.map((rule, index) => readRule(rule, `rules[${index}]`, omitted));
  return { check: (request) => rules.find((rule) => matches(rule, request)) ?? nothing };
}

function readRule(value: unknown, path: string, omitted: ReadonlySet<Stage>): Rule {
  const rule = record(value, path);
  const level = levels.find((one) => one === rule["level"]);
  if (level === undefined) throw new Error(`${path}.level must be one of ${levels.join(", ")}`);
  const nonResourceURLs = texts(rule["nonResourceURLs"], `${path}.nonResourceURLs`);
  const resources = list(rule["resources"], `${path}.resources`).map((one, index) =>
    readResources(one, `${path}.resources[${index}]`),
  );
  const namespaces = texts(rule["namespaces"], `${path}.namespaces`);
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw new Error(`${path} must not have nonResourceURLs together with resources or namespaces`);
  }
  for (const url of nonResourceURLs) checkUrl(url, `${path}.nonResourceURLs`);
  return {
    level,
    omitStages: new Set([...omitted, ...readStages(rule["omitStages"], `${path}.omitStages`)]),
    users: texts(rule["users"], `${path}.users`),
    userGroups: texts(rule["userGroups"], `${path}.userGroups`),
    verbs: texts(rule["verbs"], `${path}.verbs`),
    resources,
    namespaces,
    nonResourceURLs,
  };
}

function readResources(value: unknown, path: string): GroupResources {
  const given = record(value, path);
  const { group = "" } = given;
  if (typeof group !== "string" || !/^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)?$/.test(group)) {
    throw new Error(`${path}.group must be the name of an API group, "" for the core group`);
  }
  const resources = texts(given["resources"], `${path}.resources`);
  const resourceNames = texts(given["resourceNames"], `${path}.resourceNames`);
  if (resourceNames.length > 0 && resources.length === 0) {
    throw new Error(`${path}.resourceNames needs resources to be named as well`);
  }
  return { group, resources, resourceNames };
}

function checkUrl(url: string, path: string): void {
  if (url === "*") return;
  if (!url.startsWith("/")) throw new Error(`${path}: "${url}" must begin with "/", or be "*"`);
  if (url.slice(0, -1).includes("*")) throw new Error(`${path}: "*" may only be the last character of "${url}"`);
}

function readStages(value: unknown, path: string): ReadonlySet<Stage> {
  return new Set(
    texts(value, path).map((text) => {
      const stage = stages.find((one) => one === text);
      if (stage === undefined) throw new Error(`${path} must hold only ${stages.join(", ")}`);
      return stage;
    }),
  );
}

const isIn = (values: readonly string[], value: string) => values.length === 0 || values.includes(value);

function matches(rule: Rule, request: AuditedRequest): boolean {
  const { user, target } = request;
  if (rule.users.length > 0 && !(user !== undefined && rule.users.includes(user.name))) return false;
  if (rule.userGroups.length > 0 && !user?.groups.some((group) => rule.userGroups.includes(group))) return false;
  if (!isIn(rule.verbs, target.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0)
    return target.isResource && matchesResource(rule, target);
  if (rule.nonResourceURLs.length > 0)
    return !target.isResource && rule.nonResourceURLs.some((url) => isUrl(url, target.path));
  return true;
}

function isUrl(pattern: string, path: string): boolean {
  if (pattern === "*") return true;
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function matchesResource(rule: Rule, target: AuditedTarget): boolean {
  if (!isIn(rule.namespaces, target.namespace)) return false;
  if (rule.resources.length === 0) return true;
  return rule.resources.some(({ group, resources, resourceNames }) => {
    if (group !== target.group) return false;
    if (resources.length === 0) return true;
    return isIn(resourceNames, target.name) && resources.some((pattern) => isResourceOf(pattern, target));
  });
}

/** "pods", "pods/log", "*\/scale", "*", and "pods/*", which includes pods themselves. */
function isResourceOf(pattern: string, { resource, subresource }: AuditedTarget): boolean {
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  if (pattern === "*" || pattern === whole || pattern === `${resource}/*`) return true;
  return subresource !== "" && pattern === `*/${subresource}`;
}

function record(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${path} must be an object`);
}

function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${path} must be a list`);
  return value;
}

function texts(value: unknown, path: string): readonly string[] {
  return list(value, path).map((one) => {
    if (typeof one !== "string") throw new Error(`${path} must be a list of strings`);
    return one;
  });
}
