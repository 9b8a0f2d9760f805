/** What the command palette offers for a word: places, kinds, objects and acts. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { matchingKinds } from "./kinds.ts";
import { pluralOf, purposeOf } from "./nav.ts";
import { createOf, objectOf, objectsOf } from "./route.ts";

export interface NamedObject {
  readonly resource: DiscoveredResource;
  readonly name: string;
  readonly namespace: string;
}

export interface Offer {
  readonly key: string;
  readonly label: string;
  /** What it is: "Workloads", "Pod in shop", "page". */
  readonly hint: string;
  readonly href: string;
}

interface Offered {
  readonly discovery: Discovery;
  /** Where the list of a kind begins if none is typed; "": all. */
  readonly namespace: string;
  readonly objects: readonly NamedObject[];
  readonly isReadOnly: boolean;
}

const shownKindsMax = 8;
const shownObjectsMax = 12;

const places: readonly (readonly [name: string, href: string])[] = [
  ["Overview", "#/overview"],
  ["Server", "#/server"],
  ["Access", "#/access"],
  ["API", "#/api"],
  ["Requests", "#/requests"],
  ["Testing", "#/testing"],
  ["Create or apply", "#/create"],
];

/** As in other consoles: "pods shop" is the kind and the namespace, "pods all" those of all, "new deploy" creates one. */
export function offersFor(typed: string, offered: Offered): readonly Offer[] {
  const [word = "", second] = typed.trim().toLowerCase().split(/\s+/);
  const isNew = /^(new|create)$/.test(word) && second !== undefined && !offered.isReadOnly;
  if (isNew) return newObjects(second, offered);
  const kinds = kindsNamed(word, second, offered);
  if (word === "") return [...placesNamed(""), ...kinds];
  if (second !== undefined) return kinds;
  const exact = offered.discovery.find(word);
  const objects = objectsNamed(word, offered);
  const found = placesNamed(word);
  // A word that is a kind leads to its list; any other is more likely a name.
  return exact === undefined ? [...found, ...kinds, ...objects] : [...kinds, ...found, ...objects];
}

const placesNamed = (word: string): Offer[] =>
  places
    .filter(([name]) => name.toLowerCase().startsWith(word))
    .map(([label, href]) => ({ key: href, label, href, hint: "page" }));

function kindsNamed(word: string, second: string | undefined, { discovery, namespace }: Offered): Offer[] {
  const wanted = second === "all" ? "" : (second ?? namespace);
  return matchingKinds(discovery, word)
    .slice(0, shownKindsMax)
    .map((resource) => ({
      key: `${resource.group}/${resource.resource}`,
      label: pluralOf(resource),
      hint: [
        resource.group || purposeOf(resource, discovery.vocabulary),
        ...(resource.namespaced && wanted !== "" ? [`in ${wanted}`] : []),
      ].join(", "),
      href: objectsOf(resource, resource.namespaced ? { namespace: wanted } : {}),
    }));
}

const newObjects = (word: string, { discovery, namespace }: Offered): Offer[] =>
  matchingKinds(discovery, word)
    .filter(({ verbs }) => verbs.includes("create"))
    .slice(0, shownKindsMax)
    .map((resource) => ({
      key: `new ${resource.group}/${resource.resource}`,
      label: `New ${resource.kind}`,
      hint: resource.group || "core",
      href: createOf(resource, resource.namespaced ? (namespace.split(",")[0]?.trim() ?? "") : ""),
    }));

/** Names that begin with the word first. */
function objectsNamed(word: string, { objects }: Offered): Offer[] {
  return objects
    .filter(({ name }) => name.includes(word))
    .sort((a, b) => Number(b.name.startsWith(word)) - Number(a.name.startsWith(word)) || a.name.localeCompare(b.name))
    .slice(0, shownObjectsMax)
    .map(({ resource, name, namespace }) => ({
      key: `${resource.group}/${resource.resource}/${namespace}/${name}`,
      label: name,
      hint: namespace === "" ? resource.kind : `${resource.kind} in ${namespace}`,
      href: objectOf(resource, { name, namespace }),
    }));
}
