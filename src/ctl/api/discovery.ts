/** What a server serves: its groups, versions and resources, and which of them a user means by a word. */

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { nearest } from "../../base/suggest.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { CtlError, isNotFound } from "../errors.ts";
import { isJson, type Json, list, text, texts } from "../json.ts";
import type { Api } from "./api.ts";

export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** The plural name of paths. */
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Names of subresources: "status", "scale". */
  readonly subresources: readonly string[];
}

export interface ApiGroup {
  readonly name: string;
  readonly preferred: string;
  readonly versions: readonly string[];
}

interface Found {
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly ApiResource[];
  /** Group versions that did not answer, with the reason. */
  readonly failed: readonly { readonly groupVersion: string; readonly reason: string }[];
}

/** "apps/v1, Resource=deployments", as other tools name a resource in errors. */
export const groupVersionResource = ({ group, version, name }: ApiResource): string =>
  `${group}/${version}, Resource=${name}`;

export const apiVersionText = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === "" ? version : `${group}/${version}`;

/** "deployment.apps", "pod": how messages name a kind. */
export const kindName = ({ kind, group }: { readonly kind: string; readonly group: string }): string =>
  group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;

/** "deployments.apps", "pods": the unambiguous name of a resource. */
export const fullName = ({ name, group }: { readonly name: string; readonly group: string }): string =>
  group === "" ? name : `${name}.${group}`;

export class Discovery {
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly ApiResource[];
  readonly failed: Found["failed"];

  constructor(found: Found) {
    this.groups = found.groups;
    this.resources = found.resources;
    this.failed = found.failed;
  }

  get vocabulary(): Vocabulary {
    return this.groups.some(({ name }) => name.endsWith(".k8s.io")) ? kubernetes : orch;
  }

  /** One version of each resource: the one that its group prefers. */
  preferred(): ApiResource[] {
    const seen = new Set<string>();
    return this.#byPreference().filter((resource) => {
      const key = `${resource.group}/${resource.name}`;
      return !seen.has(key) && seen.add(key) !== undefined;
    });
  }

  /** Groups in the server's order; within a group the preferred version first. */
  #byPreference(): ApiResource[] {
    return this.groups.flatMap(({ name, preferred, versions }) =>
      [preferred, ...versions.filter((version) => version !== preferred)].flatMap((version) =>
        this.resources.filter((resource) => resource.group === name && resource.version === version),
      ),
    );
  }

  /** `pods`, `po`, `Pod`, `deployments.apps`, `deployments.v1.apps`; undefined: there is no such resource. */
  find(word: string): ApiResource | undefined {
    const lower = word.toLowerCase();
    const [first = "", ...rest] = lower.split(".");
    const candidates = this.#byPreference();
    const isNamed = (resource: ApiResource, name: string) =>
      resource.name === name || resource.singularName === name || resource.kind.toLowerCase() === name;
    const match = (isIt: (resource: ApiResource) => boolean) => candidates.find(isIt);
    if (rest.length === 0)
      return match((resource) => isNamed(resource, lower)) ?? match(({ shortNames }) => shortNames.includes(lower));
    const [version = "", ...groupParts] = rest;
    const group = groupParts.join(".");
    const whole = rest.join(".");
    const isCalled = (resource: ApiResource) => isNamed(resource, first) || resource.shortNames.includes(first);
    return (
      match(
        (resource) =>
          groupParts.length > 0 && isCalled(resource) && resource.version === version && resource.group === group,
      ) ??
      match((resource) => isCalled(resource) && resource.group === whole) ??
      match((resource) => isCalled(resource) && resource.group !== "" && resource.group.startsWith(whole)) ??
      match((resource) => resource.name === lower)
    );
  }

  byKind(apiVersion: string, kind: string): ApiResource | undefined {
    return this.resources.find((resource) => resource.kind === kind && apiVersionText(resource) === apiVersion);
  }

  /** The resource of a group that is served in the version, or else in any: "deployments", "apps". */
  inGroup(name: string, group: string, version?: string): ApiResource | undefined {
    const all = this.#byPreference().filter((resource) => resource.name === name && resource.group === group);
    return all.find((resource) => resource.version === version) ?? all[0];
  }

  /** Resources of a category: "all" is a category. */
  inCategory(word: string): ApiResource[] {
    return this.preferred().filter(({ categories }) => categories.includes(word));
  }

  /** The nearest known word, as a suggestion. */
  suggest(word: string): string | undefined {
    return nearest(
      word,
      this.resources.flatMap(({ name, singularName, shortNames }) => [name, singularName, ...shortNames]),
    );
  }
}

export class UnknownType extends CtlError {
  constructor(word: string, suggestion: string | undefined) {
    super(
      `the server doesn't have a resource type "${word.split(".")[0]}"${suggestion === undefined ? "" : `\nDid you mean "${suggestion}"?`}`,
    );
    this.name = "UnknownType";
  }
}

/** How long cached discovery is used, unless it lacks a word. */
const cacheMs = 10 * 60_000;

interface DiscoveryOptions {
  readonly cacheFile: string | undefined;
  readonly fresh: boolean;
  readonly clock: Clock;
}

export async function loadDiscovery(api: Api, { cacheFile, fresh, clock }: DiscoveryOptions): Promise<Discovery> {
  if (cacheFile !== undefined && !fresh) {
    const kept = readCache(cacheFile);
    if (kept !== undefined && clock.now() - kept.atMs < cacheMs) return new Discovery(kept.found);
  }
  const found = await ask(api);
  if (cacheFile !== undefined && found.failed.length === 0)
    writePrivate(cacheFile, JSON.stringify({ atMs: clock.now(), found }));
  return new Discovery(found);
}

/** Whether the cache on the disk is still valid. */
export function isCached(cacheFile: string | undefined, clock: Clock): boolean {
  const kept = cacheFile === undefined ? undefined : readCache(cacheFile);
  return kept !== undefined && clock.now() - kept.atMs < cacheMs;
}

const qualified = /^([a-z0-9-]+)\.(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)(?:\.([a-z0-9.-]+))?$/;

export const isQualified = (word: string): boolean => qualified.test(word);

/**
 * `deployments.v1.apps` names its group and version, so that one document is enough. Undefined: it does not name them,
 * or they are not served.
 */
export async function findQualified(api: Api, word: string): Promise<ApiResource | undefined> {
  const match = qualified.exec(word);
  if (match === null) return undefined;
  const [, name = "", version = "", group = ""] = match;
  try {
    const answer = await api.json(group === "" ? `/api/${version}` : `/apis/${group}/${version}`);
    return resourcesOf(answer, { group, version }).find((resource) => resource.name === name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function ask(api: Api): Promise<Found> {
  const [core, grouped] = await Promise.all([api.json("/api"), api.json("/apis")]);
  const groups: ApiGroup[] = [
    { name: "", preferred: texts(core, "versions")[0] ?? "v1", versions: texts(core, "versions") },
    ...list(grouped, "groups").map((group) => ({
      name: text(group, "name"),
      preferred: text(group, "preferredVersion", "version"),
      versions: list(group, "versions").map((version) => text(version, "version")),
    })),
  ];
  const failed: { groupVersion: string; reason: string }[] = [];
  const asked = groups.flatMap(({ name, versions }) => versions.map((version) => ({ group: name, version })));
  const answers = await Promise.all(
    asked.map(async (one) => {
      try {
        return resourcesOf(
          await api.json(one.group === "" ? `/api/${one.version}` : `/apis/${apiVersionText(one)}`),
          one,
        );
      } catch (error) {
        failed.push({
          groupVersion: apiVersionText(one),
          reason: error instanceof Error ? error.message : String(error),
        });
        return [];
      }
    }),
  );
  return { groups, resources: answers.flat(), failed };
}

function resourcesOf(answer: Json, at: { group: string; version: string }): ApiResource[] {
  const all = list(answer, "resources");
  const names = all.map((resource) => text(resource, "name"));
  return all
    .filter((resource) => !text(resource, "name").includes("/"))
    .map((resource) => {
      const name = text(resource, "name");
      const kind = text(resource, "kind");
      return {
        ...at,
        name,
        singularName: text(resource, "singularName") || kind.toLowerCase(),
        kind,
        namespaced: resource["namespaced"] === true,
        verbs: texts(resource, "verbs"),
        shortNames: texts(resource, "shortNames"),
        categories: texts(resource, "categories"),
        subresources: names
          .filter((other) => other.startsWith(`${name}/`))
          .map((other) => other.slice(name.length + 1)),
      };
    });
}

function readCache(file: string): { readonly atMs: number; readonly found: Found } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isKept(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The file is our own, in a folder that only the user can write, so checking its outline is enough. */
function isKept(value: unknown): value is { readonly atMs: number; readonly found: Found } {
  if (!isJson(value) || typeof value["atMs"] !== "number" || !isJson(value["found"])) return false;
  const { groups, resources, failed } = value["found"];
  return Array.isArray(groups) && Array.isArray(resources) && Array.isArray(failed);
}

/** Replaces a file that only its owner may read, atomically; a failure to write it is not an error. */
export function writePrivate(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, content, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}
