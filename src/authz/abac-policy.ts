/** Reads ABAC policy files: one JSON object per line, in the current form or in the older one without a version. */

import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** Empty texts match nothing, `*` anything. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const everyone = "system:authenticated";

/** Throws an Error that names the line. Blank lines and lines that begin with `#` are skipped. */
export function parsePolicies(text: string, vocabulary: Vocabulary): AbacPolicy[] {
  const policies: AbacPolicy[] = [];
  text.split("\n").forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    try {
      policies.push(parseLine(trimmed, vocabulary));
    } catch (cause) {
      throw new Error(`policy line ${index + 1}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  });
  return policies;
}

function parseLine(line: string, vocabulary: Vocabulary): AbacPolicy {
  const value = object(JSON.parse(line), "the line");
  if (!Object.hasOwn(value, "apiVersion") && !Object.hasOwn(value, "kind")) return unversioned(value);
  const apiVersion = `${policyGroup(vocabulary)}/v1beta1`;
  if (value.apiVersion !== apiVersion) throw new Error(`apiVersion must be ${apiVersion}`);
  if (value.kind !== "Policy") throw new Error("kind must be Policy");
  return current(object(value.spec ?? {}, "spec"));
}

function current(spec: Record<string, unknown>): AbacPolicy {
  const policy = {
    user: text(spec, "user"),
    group: text(spec, "group"),
    readonly: flag(spec, "readonly"),
    apiGroup: text(spec, "apiGroup"),
    resource: text(spec, "resource"),
    namespace: text(spec, "namespace"),
    nonResourcePath: text(spec, "nonResourcePath"),
  };
  return forEveryone(policy);
}

/** The old form, in which an absent field matches everything, and every API group is included. */
function unversioned(line: Record<string, unknown>): AbacPolicy {
  const [user, group] = [text(line, "user"), text(line, "group")];
  const [namespace, resource] = [text(line, "namespace"), text(line, "resource")];
  return forEveryone({
    user,
    group: user === "" && group === "" ? everyone : group,
    readonly: flag(line, "readonly"),
    apiGroup: "*",
    resource: resource || "*",
    namespace: namespace || "*",
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  });
}

/** `*` as user or group means everyone who has authenticated: anonymous callers need a separate policy. */
function forEveryone(policy: AbacPolicy): AbacPolicy {
  return policy.user === "*" || policy.group === "*" ? { ...policy, user: "", group: everyone } : policy;
}

/** This group has the domain of keys, not that of API groups, so it is derived from a word that is clearly a key. */
function policyGroup(vocabulary: Vocabulary): string {
  return vocabulary.word("abac.authorization.orch.io/policy").split("/")[0]!;
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  return value as Record<string, unknown>; // from JSON, not an array
}

function text(from: Record<string, unknown>, key: string): string {
  const value = Object.hasOwn(from, key) ? from[key] : "";
  if (typeof value !== "string") throw new Error(`${key} must be a text`);
  return value;
}

function flag(from: Record<string, unknown>, key: string): boolean {
  const value = Object.hasOwn(from, key) ? from[key] : false;
  if (typeof value !== "boolean") throw new Error(`${key} must be true or false`);
  return value;
}
