/** Whether some rules grant at least what others would: users may not grant rights that they do not hold. */

import { type CompiledRule, compileRule, hasOrAll, type PolicyRule, pathsMatch } from "./policy-rule.ts";

/** How many comparisons one check may cost; a rule whose lists multiply to more is refused unless one rule covers all of it. */
export const coverageStepsMax = 200_000;
/** How many missing rights an answer lists. */
export const missingShownMax = 20;

type Coverage =
  | { readonly covered: true }
  /** The rights that are missing, the first few of them, each with a single verb and resource. */
  | { readonly covered: false; readonly missing: readonly PolicyRule[]; readonly tooComplex: boolean };

/** Whether `owned` together covers each of `wanted`. */
export function covers(owned: readonly CompiledRule[], wanted: readonly PolicyRule[]): Coverage {
  const missing: PolicyRule[] = [];
  let steps = 0;
  for (const rule of wanted) {
    const whole = compileRule(rule);
    if (owned.some((own) => coversWhole(own, whole))) continue;
    for (const part of parts(rule)) {
      steps += owned.length + 1;
      if (steps > coverageStepsMax) return { covered: false, missing, tooComplex: true };
      const single = compileRule(part);
      if (owned.some((own) => coversWhole(own, single))) continue;
      missing.push(part);
      if (missing.length >= missingShownMax) return { covered: false, missing, tooComplex: false };
    }
  }
  return missing.length === 0 ? { covered: true } : { covered: false, missing, tooComplex: false };
}

/** Whether one rule alone grants all of another. */
function coversWhole(own: CompiledRule, wanted: CompiledRule): boolean {
  const namesCovered =
    own.resourceNames.size === 0 ||
    (wanted.resourceNames.size > 0 && every(wanted.resourceNames, (name) => own.resourceNames.has(name)));
  return (
    namesCovered &&
    every(wanted.verbs, (verb) => hasOrAll(own.verbs, verb)) &&
    every(wanted.apiGroups, (group) => hasOrAll(own.apiGroups, group)) &&
    every(wanted.resources, (resource) => coversResource(own.resources, resource)) &&
    wanted.nonResourceURLs.every((path) => pathsMatch(own.nonResourceURLs, path))
  );
}

function coversResource(own: ReadonlySet<string>, resource: string): boolean {
  if (hasOrAll(own, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && own.has(`*${resource.slice(slash)}`);
}

/** A rule as rules with one verb and one target each; lazily, since the lists multiply. */
function* parts(rule: PolicyRule): Generator<PolicyRule> {
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs ?? []) {
        const single = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (!rule.resourceNames?.length) yield single;
        else for (const name of rule.resourceNames) yield { ...single, resourceNames: [name] };
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs ?? []) yield { verbs: [verb], nonResourceURLs: [path] };
  }
}

function every<T>(values: Iterable<T>, holds: (value: T) => boolean): boolean {
  for (const value of values) if (!holds(value)) return false;
  return true;
}
