/** Which labels a node agent may set on its own Node: those that describe it, and all outside the reserved domains. */

import { getOwn } from "../machinery/json/json-value.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** In orch's names. */
const ownLabels = [
  "orch.io/hostname",
  "orch.io/os",
  "orch.io/arch",
  "beta.orch.io/os",
  "beta.orch.io/arch",
  "beta.orch.io/instance-type",
  "node.orch.io/instance-type",
  "failure-domain.beta.orch.io/region",
  "failure-domain.beta.orch.io/zone",
  "topology.orch.io/region",
  "topology.orch.io/zone",
];
const ownPrefixes = ["orchlet.orch.io/x", "node.orch.io/x"];
const restrictedPrefix = "node-restriction.orch.io/x";

interface Rules {
  readonly labels: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  readonly restricted: string;
  readonly reserved: readonly string[];
}

const known = new WeakMap<Vocabulary, Rules>();

/** The labels that differ and that the node may not change, in order. */
export function forbiddenNodeLabels(
  next: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
  vocabulary: Vocabulary,
): string[] {
  const rules = rulesOf(vocabulary);
  return [...new Set([...Object.keys(next), ...Object.keys(old)])]
    .filter((key) => getOwn(next, key) !== getOwn(old, key) && isForbidden(key, rules))
    .sort();
}

function isForbidden(key: string, { labels, prefixes, restricted, reserved }: Rules): boolean {
  const prefix = prefixOf(key);
  if (isWithin(prefix, restricted)) return true;
  if (!reserved.some((domain) => isWithin(prefix, domain))) return false;
  return !labels.has(key) && !prefixes.some((allowed) => isWithin(prefix, allowed));
}

function rulesOf(vocabulary: Vocabulary): Rules {
  let rules = known.get(vocabulary);
  if (rules === undefined) {
    const prefix = (label: string) => prefixOf(vocabulary.word(label));
    rules = {
      labels: new Set(ownLabels.map((label) => vocabulary.word(label))),
      prefixes: ownPrefixes.map(prefix),
      restricted: prefix(restrictedPrefix),
      // The domain of labels, and that of groups if it differs.
      reserved: [prefix("orch.io/hostname"), vocabulary.group("storage.orch.io").slice("storage.".length)],
    };
    known.set(vocabulary, rules);
  }
  return rules;
}

/** Whether it is the domain or one below it. */
function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}

/** "": the key has none. */
function prefixOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}
