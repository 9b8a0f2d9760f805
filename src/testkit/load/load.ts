/** Applies objects to a server in an order that works, and waits until the kinds that they define are served. */

import { encodeJson } from "../../machinery/json/json.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import { type BoundKind, type Catalog, servedKinds } from "../../machinery/schema/catalog.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import { inLoadOrder } from "./order.ts";
import { objectsIn, readObjects, type SourcedObject } from "./read-objects.ts";

/** A file, a folder with all its subfolders, or objects; lists are taken apart. */
export type Loadable = string | readonly object[];

export interface LoadTarget {
  readonly catalog: Catalog;
  /** As a user who may do everything. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Resolves when controllers had time for what was loaded, such as the accounts of a namespace. */
  pause(): Promise<void>;
}

/** How often objects that were refused are tried again, as long as others were accepted in the meantime. */
export const loadRoundsMax = 10;
/** How long a kind that was defined may take to be served. */
export const definitionMsMax = 10_000;
const lookAgainMs = 5;
/** How many refusals a message names. */
const namedMax = 10;
const manager = "load";

/** An object that the server did not accept. */
export interface Refused {
  readonly one: SourcedObject;
  readonly why: string;
}

/** Resolves with the number of objects. Rejects if some were refused, and names them with their files. */
export async function load(target: LoadTarget, what: Loadable): Promise<number> {
  if (typeof what !== "string" && !Array.isArray(what))
    throw new TypeError("load: what is loaded must be the path of a file or folder, or a list of objects");
  const objects = typeof what === "string" ? await readObjects(what) : what.flatMap((one) => objectsIn(one));
  const refused = await applyAll(target, objects);
  if (refused.length === 0) return objects.length;
  const lines = refusalLines(refused.slice(0, namedMax));
  const more = refused.length > namedMax ? [`and ${refused.length - namedMax} more`] : [];
  const count = refused.length === 1 ? "1 object" : `${refused.length} objects`;
  throw new Error(`${count} could not be loaded:\n${[...lines, ...more].join("\n")}`);
}

/** Resolves with those that were refused. */
export async function applyAll(target: LoadTarget, objects: readonly SourcedObject[]): Promise<readonly Refused[]> {
  let waiting = inLoadOrder(objects);
  for (let round = 1; ; round++) {
    const refused: Refused[] = [];
    for (const one of waiting) {
      const why = await apply(target, one);
      if (why !== undefined) refused.push({ one, why });
    }
    // Something may have been missing that controllers or later objects bring; after a round without progress it will not come.
    const isStuck = round > 1 && refused.length === waiting.length;
    if (refused.length === 0 || isStuck || round === loadRoundsMax) return refused;
    waiting = refused.map(({ one }) => one);
    await target.pause();
  }
}

/** Says whether the server has the kind under another name; "": it does not. */
function otherNames(catalog: Catalog, { apiVersion, kind }: Record<string, unknown>): string {
  const { vocabulary } = catalog.environment;
  const other = vocabulary.name === "orch" ? kubernetes : orch;
  /** The group of a custom kind has the same name in both. */
  const groupOf = ({ declared }: BoundKind) => other.group(String(declared.group));
  const isOther = servedKinds(catalog).some(
    (each) => each.kind === kind && `${groupOf(each)}/${each.version}` === apiVersion,
  );
  return isOther ? `: that name is of the vocabulary "${other.name}", and the server speaks "${vocabulary.name}"` : "";
}

/** Undefined: it was accepted; otherwise why it was not. */
async function apply(target: LoadTarget, { object }: SourcedObject): Promise<string | undefined> {
  const kind = findServedKind(target.catalog, object);
  if (kind === undefined)
    return `the server has no kind ${object["kind"]} of ${object["apiVersion"]}${otherNames(target.catalog, object)}`;
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const body = encodeJson({ ...object, metadata: cleaned(metadata) });
  const answer =
    typeof metadata["name"] === "string"
      ? await target.fetch(`${objectPath(kind, object)}?fieldManager=${manager}&force=true`, {
          method: "PATCH",
          headers: { "content-type": patchMediaTypes.apply },
          body,
        })
      : await target.fetch(`${collectionPath(kind, metadata)}?fieldManager=${manager}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
  const why = await refusalOf(answer);
  if (why !== undefined) return why;
  return kind.kind === "CustomResourceDefinition" ? untilServed(target, object) : undefined;
}

function collectionPath(kind: BoundKind, { namespace = "default" }: Readonly<Record<string, unknown>>): string {
  const scope = kind.namespaced ? `/namespaces/${encodeURIComponent(String(namespace))}` : "";
  return `${kind.group === "" ? "/api" : "/apis"}/${kind.apiVersion}${scope}/${kind.resource}`;
}

export function objectPath(kind: BoundKind, { metadata }: SourcedObject["object"]): string {
  const named = isObject(metadata) ? metadata : {};
  return `${collectionPath(kind, named)}/${encodeURIComponent(String(named["name"]))}`;
}

/** What another server has set belongs to that server. */
function cleaned(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = new Set(["uid", "resourceVersion", "generation", "creationTimestamp", "selfLink", "managedFields"]);
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !own.has(key)));
}

/** Undefined: the server does not serve it. */
export function findServedKind(catalog: Catalog, object: SourcedObject["object"]): BoundKind | undefined {
  const apiVersion = String(object["apiVersion"] ?? "");
  for (const { group, versions } of catalog.groups())
    for (const version of versions) {
      const found = catalog.byKind(group, version, String(object["kind"]));
      if (found?.apiVersion === apiVersion && catalog.isServed(found)) return found;
    }
  return undefined;
}

/** Undefined: every version that the definition serves is there. */
async function untilServed({ catalog }: LoadTarget, definition: SourcedObject["object"]): Promise<string | undefined> {
  const spec = isObject(definition["spec"]) ? definition["spec"] : {};
  const { group, version } = spec;
  const kind = isObject(spec["names"]) ? spec["names"]["kind"] : undefined;
  const listed = Array.isArray(spec["versions"])
    ? spec["versions"].filter(isObject)
    : [{ name: version, served: true }];
  const wanted = listed
    .filter(({ served }) => served === true)
    .map(({ name }) => ({ apiVersion: `${group}/${name}`, kind }));
  const endMs = performance.now() + definitionMsMax;
  for (;;) {
    const missing = wanted.find((each) => findServedKind(catalog, each) === undefined);
    if (missing === undefined) return undefined;
    if (performance.now() > endMs)
      return `${missing.kind} of ${missing.apiVersion} was not served within ${definitionMsMax} ms; its status says why`;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

/** Undefined: it was accepted. */
export async function refusalOf(answer: Response): Promise<string | undefined> {
  const text = await answer.text();
  return answer.ok ? undefined : (messageOf(text) ?? `the server answered ${answer.status}`);
}

function messageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message; // a Status
  } catch {
    return undefined;
  }
}

export function refusalLines(refused: readonly Refused[]): string[] {
  return refused.map(({ one: { object, source }, why }) => {
    const { name = "", namespace } = isObject(object["metadata"]) ? object["metadata"] : {};
    const place = namespace === undefined ? "" : `${namespace}/`;
    return `${object["kind"]} ${place}${name}${source === undefined ? "" : ` (${source})`}: ${why}`;
  });
}
