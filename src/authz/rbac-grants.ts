/** What one subject is granted in one scope, indexed by verb and resource. */

import type { Attributes } from "./contract.ts";
import { type CompiledRule, ruleAllows } from "./policy-rule.ts";
import type { AppliedBinding, Role } from "./rbac-index.ts";

/** One rule, and the binding that grants it. */
export interface Grant {
  readonly rule: CompiledRule;
  readonly applied: AppliedBinding;
}

interface Bucket {
  /** Rules without resourceNames. */
  readonly anyName: Grant[];
  readonly byName: Map<string, Grant[]>;
}

/** A rule whose verbs and resources multiply to more is kept in a separate list and checked one by one. */
export const entriesPerRuleMax = 2_000;

export class Grants {
  readonly #resources = new Map<string, Map<string, Bucket>>();
  readonly #paths: Grant[] = [];
  readonly #large: Grant[] = [];
  /** Bindings whose role does not exist. */
  readonly missing: AppliedBinding[] = [];

  add(applied: AppliedBinding, role: Role | undefined): void {
    if (role === undefined) {
      this.missing.push(applied);
      return;
    }
    for (const rule of role.rules) this.#addRule({ rule, applied });
  }

  /** The first rule that allows the request. */
  find(asked: Attributes): Grant | undefined {
    if (!asked.isResource) return this.#paths.find((grant) => ruleAllows(grant.rule, asked));
    const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
    return (
      this.#look(asked.verb, resource, asked) ??
      this.#look("*", resource, asked) ??
      this.#large.find((grant) => ruleAllows(grant.rule, asked))
    );
  }

  #look(verb: string, resource: string, asked: Attributes): Grant | undefined {
    const byResource = this.#resources.get(verb);
    if (byResource === undefined) return undefined;
    return (
      allowing(byResource.get(resource), asked) ??
      allowing(byResource.get("*"), asked) ??
      (asked.subresource === "" ? undefined : allowing(byResource.get(`*/${asked.subresource}`), asked))
    );
  }

  #addRule(grant: Grant): void {
    const { verbs, resources, resourceNames, nonResourceURLs } = grant.rule;
    if (nonResourceURLs.length > 0) this.#paths.push(grant);
    if (resources.size === 0) return;
    if (verbs.size * resources.size * Math.max(1, resourceNames.size) > entriesPerRuleMax) {
      this.#large.push(grant);
      return;
    }
    for (const verb of verbs) {
      const byResource = this.#resources.get(verb) ?? new Map<string, Bucket>();
      this.#resources.set(verb, byResource);
      for (const resource of resources) {
        const bucket: Bucket = byResource.get(resource) ?? { anyName: [], byName: new Map() };
        byResource.set(resource, bucket);
        if (resourceNames.size === 0) bucket.anyName.push(grant);
        for (const name of resourceNames) {
          const list = bucket.byName.get(name);
          if (list === undefined) bucket.byName.set(name, [grant]);
          else list.push(grant);
        }
      }
    }
  }
}

function allowing(bucket: Bucket | undefined, asked: Attributes): Grant | undefined {
  if (bucket === undefined) return undefined;
  // A resourceName of "" grants a request without a name, since the two are equal.
  return (
    bucket.anyName.find((grant) => ruleAllows(grant.rule, asked)) ??
    bucket.byName.get(asked.name)?.find((grant) => ruleAllows(grant.rule, asked))
  );
}
