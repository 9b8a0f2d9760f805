/** Finds the flow schema of a request. Rules are indexed by their subjects, so that a request meets only rules about its user. */

import type { FlowSchemaSpec, Subject } from "../api/flowcontrol/v1beta1/flow-schema-spec.ts";
import type { Attributes } from "../authz/contract.ts";
import { compileRule, type RequestMatch } from "./rules.ts";

/** Some schema with its value. */
interface Candidate<T> {
  readonly name: string;
  readonly spec: FlowSchemaSpec;
  readonly value: T;
}

interface IndexedRule<T> {
  /** The position of its schema: the lowest one that matches wins. */
  readonly position: number;
  readonly matches: RequestMatch;
  readonly value: T;
}

const accountPrefix = "system:serviceaccount:";

export class Matcher<T> {
  readonly #byUser = new Map<string, IndexedRule<T>[]>();
  readonly #byGroup = new Map<string, IndexedRule<T>[]>();
  /** Rules about all service accounts of a namespace. */
  readonly #byNamespace = new Map<string, IndexedRule<T>[]>();
  readonly #ofEverybody: IndexedRule<T>[] = [];

  constructor(candidates: readonly Candidate<T>[]) {
    inOrder(candidates).forEach(({ spec, value }, position) => {
      for (const rule of spec.rules ?? []) {
        const indexed = { position, matches: compileRule(rule), value };
        for (const subject of rule.subjects ?? []) this.#add(subject, indexed);
      }
    });
  }

  #add(subject: Subject, rule: IndexedRule<T>): void {
    const { kind, user, group, serviceAccount } = subject;
    if (kind === "User" && user !== undefined) this.#addNamed(this.#byUser, user.name, rule);
    if (kind === "Group" && group !== undefined) this.#addNamed(this.#byGroup, group.name, rule);
    if (kind !== "ServiceAccount" || serviceAccount === undefined) return;
    const { namespace, name } = serviceAccount;
    if (name === "*") append(this.#byNamespace, namespace, rule);
    else append(this.#byUser, `${accountPrefix}${namespace}:${name}`, rule);
  }

  #addNamed(index: Map<string, IndexedRule<T>[]>, name: string, rule: IndexedRule<T>): void {
    if (name === "*") this.#ofEverybody.push(rule);
    else append(index, name, rule);
  }

  /** Undefined: no schema matches. */
  find(request: Attributes): T | undefined {
    const { user } = request;
    let best = earlier(this.#ofEverybody, request, undefined);
    best = earlier(this.#byUser.get(user.name), request, best);
    for (const group of user.groups) best = earlier(this.#byGroup.get(group), request, best);
    if (this.#byNamespace.size > 0 && user.name.startsWith(accountPrefix)) {
      const namespace = user.name.slice(accountPrefix.length, user.name.indexOf(":", accountPrefix.length));
      best = earlier(this.#byNamespace.get(namespace), request, best);
    }
    return best?.value;
  }
}

/** The order in which schemas are tried: by precedence, then by name. */
function inOrder<T extends Candidate<unknown>>(candidates: readonly T[]): T[] {
  return [...candidates].sort(
    (a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence || (a.name < b.name ? -1 : 1),
  );
}

/** The first of `rules` that matches, if its schema comes before that of `best`. */
function earlier<T>(
  rules: readonly IndexedRule<T>[] | undefined,
  request: Attributes,
  best: IndexedRule<T> | undefined,
): IndexedRule<T> | undefined {
  if (rules === undefined) return best;
  for (const rule of rules) {
    if (best !== undefined && rule.position >= best.position) return best;
    if (rule.matches(request)) return rule;
  }
  return best;
}

function append<T>(index: Map<string, T[]>, name: string, rule: T): void {
  const rules = index.get(name);
  if (rules === undefined) index.set(name, [rule]);
  else rules.push(rule);
}
