/** Resolves the objects and types that the arguments, files and selectors of a command name. */

import { nearest } from "../../base/suggest.ts";
import type { DiscoveredResource, Ref } from "../../client/contract.ts";
import { discoverVersion } from "../../client/discovery/discover.ts";
import { type Discovery, parseQualified } from "../../client/discovery/discovery.ts";
import { apiVersionOf as groupVersionOf } from "../../client/requests/address.ts";
import { ifThere } from "../../client/requests/refusals.ts";
import { newestLevel } from "../../machinery/schema/levels.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import type { Context } from "../context.ts";
import { CtlError, UnknownType, UsageError } from "../errors.ts";
import { goJson } from "../go-json.ts";
import { apiVersionOf, type Json, kindOf, nameOf, namespaceOf, object } from "../json.ts";
import { type Manifest, type ManifestOptions, readManifests } from "./manifests.ts";
import type { PastQuery } from "./past.ts";
import { forEachManifest, located } from "./problems.ts";

/** One object by name, or all objects of a type. `object` is set if it came from a file. */
export interface Lookup {
  readonly resource: DiscoveredResource;
  /** "": the kind is cluster-wide, or the lookup is for all namespaces. */
  readonly namespace: string;
  /** Undefined: a list. */
  readonly name: string | undefined;
  readonly object: Json | undefined;
  readonly source: string;
  /** The file and line of the object; absent: it was named by arguments. */
  readonly manifest?: Manifest;
  /** Why the object of a file cannot be used; the others are processed. */
  readonly problem?: unknown;
  /** When its objects are read as they were. Absent: as they are. */
  readonly past?: PastQuery;
}

export interface LookupOptions {
  /** Default: the arguments of the command. */
  readonly args?: readonly string[];
  /** Whether a type alone selects all of its objects. */
  readonly allowLists?: boolean;
  /** Whether the command may be called without any object. */
  readonly allowNothing?: boolean;
  /** Whether --all beside names is allowed: it then only means that a type alone would be enough. */
  readonly mayNameAll?: boolean;
  /** --selector of the command does not select objects. */
  readonly ignoresSelector?: boolean;
  /** Types may come from files only. */
  readonly filesOnly?: boolean;
}

export const nothingNamed = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

/** What `look` finds in discovery, which is requested again if the cache lacks it. Undefined: the server does not serve it. */
export async function findServed(
  context: Context,
  look: (discovery: Discovery) => DiscoveredResource | undefined,
): Promise<DiscoveredResource | undefined> {
  return look(await context.discovery()) ?? look(await context.discovery(true));
}

export async function findResource(context: Context, word: string): Promise<DiscoveredResource> {
  const found = await findServed(context, (served) => served.find(word));
  if (found !== undefined) return found;
  const discovery = await context.discovery();
  const foreign = context.behaviour.givesHints ? foreignGroupHint(discovery, word) : "";
  if (foreign !== "") throw new CtlError(`the server doesn't have a resource type "${word}"${foreign}`);
  throw new UnknownType(word, nearest(word, discovery.words()));
}

/** Undefined: the word does not name a group and version, or they are not served. */
async function findQualified(context: Context, word: string): Promise<DiscoveredResource | undefined> {
  const named = parseQualified(word);
  if (named === undefined) return undefined;
  const resources = await ifThere(discoverVersion(context.session.send, named));
  return resources?.find(({ resource }) => resource === named.resource);
}

async function findResources(context: Context, words: string): Promise<DiscoveredResource[]> {
  const found: DiscoveredResource[] = [];
  for (const word of words.split(",")) {
    const exact = context.session.published.hasDiscovery ? undefined : await findQualified(context, word);
    if (exact !== undefined) {
      found.push(exact);
      continue;
    }
    const discovery = await context.discovery();
    const isCategory = discovery.find(word) === undefined && discovery.inCategory(word).length > 0;
    // The members of a category change with every definition, so the cache is not enough.
    found.push(
      ...(isCategory ? (await context.discovery(true)).inCategory(word) : [await findResource(context, word)]),
    );
  }
  return found;
}

/** Throws if a manifest lacks its apiVersion or kind. */
export function requireKind({ behaviour }: Context, object: Json, source: string): void {
  const missing = kindOf(object) === "" ? "Kind" : apiVersionOf(object) === "" ? "apiVersion" : "";
  if (missing === "") return;
  // With file and line the object need not be shown.
  if (behaviour.locatesErrors && source !== "") throw new CtlError("apiVersion and kind must be set");
  throw new CtlError(`unable to decode "${source}": Object '${missing}' is missing in '${shortened(object)}'`);
}

/** The resource that serves an object of a file. */
export async function resourceOf(context: Context, object: Json, source: string): Promise<DiscoveredResource> {
  requireKind(context, object, source);
  const [apiVersion, kind] = [apiVersionOf(object), kindOf(object)];
  const found = await findServed(context, (served) => served.byKind(apiVersion, kind));
  if (found !== undefined) return found;
  const hint = context.behaviour.givesHints ? kindHint(await context.discovery(), apiVersion, kind) : "";
  const start = context.behaviour.locatesErrors ? "" : `unable to recognize "${source}": `;
  throw new CtlError(`${start}no matches for kind "${kind}" in version "${apiVersion}"${hint}`);
}

/** Names with "k8s.io" are those of servers that speak the other vocabulary. */
function foreignGroupHint({ vocabulary }: Discovery, name: string): string {
  if (vocabulary.name !== "orch" || !/(^|\.)k8s\.io(\/|$)/.test(name)) return "";
  return `\nThis server speaks the vocabulary orch; one that is started with --like=kubernetes-${newestLevel} serves groups of k8s.io`;
}

/** The version that serves the kind, or the kind that the user probably means. */
export function kindHint(discovery: Discovery, apiVersion: string, kind: string): string {
  const { resources, preferred } = discovery;
  const foreign = foreignGroupHint(discovery, apiVersion);
  if (foreign !== "") return foreign;
  const elsewhere = preferred.find((one) => one.kind === kind);
  if (elsewhere !== undefined) return `\nDid you mean "apiVersion: ${groupVersionOf(elsewhere)}"?`;
  const same = resources.filter((one) => groupVersionOf(one) === apiVersion);
  const near = nearest(
    kind,
    (same.length > 0 ? same : resources).map((one) => one.kind),
  );
  return near === undefined ? "" : `\nDid you mean "kind: ${near}"?`;
}

function shortened(object: Json): string {
  const text = goJson(object);
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

/** The objects of -f, -k and -R. */
export async function manifestsOf(
  context: Context,
  { readsOn = context.behaviour.locatesErrors }: Pick<ManifestOptions, "readsOn"> = {},
): Promise<Manifest[]> {
  const { flags } = context;
  const filenames = flags.filename ?? [];
  const kustomize = flags.kustomize ?? "";
  if (kustomize !== "" && filenames.length > 0) throw new CtlError("only one of -f or -k can be specified");
  if (kustomize !== "") {
    const { buildKustomization } = await import("../kustomize/build.ts");
    const built = await buildKustomization(kustomize, context.environment);
    return built.map((object) => ({ object, source: kustomize, line: 0 }));
  }
  return readManifests(context.environment, {
    filenames,
    isRecursive: flags.recursive === true,
    readsOn,
  });
}

/** Reads the manifests; those that cannot be read end the command. */
export async function readableManifestsOf(context: Context): Promise<Manifest[]> {
  const manifests = await manifestsOf(context);
  await forEachManifest(context, manifests, async () => {});
  return manifests;
}

/** Filters manifests by a label selector; those that cannot be read stay, so that they are reported. */
export function isSelected(selector: string): (manifest: Manifest) => boolean {
  if (selector === "") return () => true;
  const parsed = parseLabelSelector(selector);
  return ({ object: value, problem }) => {
    if (problem !== undefined) return true;
    const labels = Object.entries(object(value, "metadata", "labels"));
    return parsed.matches(new Map(labels.map(([key, label]): [string, string] => [key, String(label)])));
  };
}

const subresources = ["status", "scale", "resize"];

/** The value of --subresource; undefined: the object itself. */
export function subresourceOf({ flags }: Context): string | undefined {
  const name = flags.subresource ?? "";
  if (name !== "" && !subresources.includes(name))
    throw new CtlError(`invalid subresource value: "${name}". Must be one of [${subresources.join(" ")}]`);
  return name === "" ? undefined : name;
}

export const hasFiles = ({ flags }: Context): boolean =>
  (flags.filename ?? []).length > 0 || (flags.kustomize ?? "") !== "";

export async function findLookups(context: Context, options: LookupOptions = {}): Promise<Lookup[]> {
  const { flags } = context;
  const args = options.args ?? context.args;
  const selector = options.ignoresSelector === true ? "" : (flags.selector ?? "");
  const fieldSelector = flags["field-selector"] ?? "";
  const isAll = flags.all === true;
  if (hasFiles(context)) {
    if (args.length > 0)
      throw new CtlError(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
      );
    if (isAll && options.filesOnly !== true) throw new CtlError("--all can only be used with a resource type");
    return lookupsOfFiles(context);
  }
  if (args.length === 0) {
    if (options.allowNothing) return [];
    throw new CtlError(nothingNamed);
  }
  const allNamespaces = flags["all-namespaces"] === true;
  const namespaceFor = (resource: DiscoveredResource) =>
    !resource.namespaced || allNamespaces ? "" : context.namespace;
  const one = (resource: DiscoveredResource, name: string | undefined): Lookup => ({
    resource,
    namespace: namespaceFor(resource),
    name,
    object: undefined,
    source: "",
  });
  if (args.some((arg) => arg.includes("/"))) {
    const typeAlone = args.find((arg) => !arg.includes("/"));
    if (typeAlone !== undefined)
      throw new CtlError(
        `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. '${context.program} get resource/<resource_name>' instead of '${context.program} get resource resource/<resource_name>'`,
      );
    if (selector !== "" || fieldSelector !== "" || (isAll && options.mayNameAll !== true))
      throw new CtlError("selectors and the all flag cannot be used when passing resource/name arguments");
    const named: Lookup[] = [];
    for (const arg of args) {
      const [type = "", name = "", ...more] = arg.split("/");
      if (type === "" || name === "")
        throw new CtlError("arguments in resource/name form must have a single resource and name");
      if (more.length > 0) throw new CtlError(`arguments in resource/name form may not have more than one slash`);
      const resources = await findResources(context, type);
      if (resources.length !== 1)
        throw new CtlError("arguments in resource/name form must have a single resource and name");
      named.push(one(resources[0]!, name));
    }
    requireNamespace(named, allNamespaces);
    return named;
  }
  const [types = "", ...names] = args;
  const resources = await findResources(context, types);
  if (names.length > 0) {
    if (isAll && options.mayNameAll !== true)
      throw new CtlError("name cannot be provided when a selector is specified");
    if (selector !== "" || fieldSelector !== "")
      throw new CtlError("name cannot be provided when a selector is specified");
    const named = names.flatMap((name) => resources.map((resource) => one(resource, name)));
    requireNamespace(named, allNamespaces);
    return named;
  }
  if (isAll && selector !== "") throw new CtlError("setting 'all' parameter but found a non empty selector. ");
  if (!isAll && selector === "" && fieldSelector === "" && options.allowLists !== true)
    throw new CtlError("resource(s) were provided, but no name, label selector, or --all flag specified");
  return resources.map((resource) => one(resource, undefined));
}

function requireNamespace(lookups: readonly Lookup[], allNamespaces: boolean): void {
  if (allNamespaces && lookups.some(({ resource }) => resource.namespaced))
    throw new CtlError("a resource cannot be retrieved by name across all namespaces");
}

/** Objects of files have a namespace or get that of the request; if both are set they must agree. */
async function lookupsOfFiles(context: Context): Promise<Lookup[]> {
  const lookups: Lookup[] = [];
  for (const manifest of await manifestsOf(context)) {
    const { object, source } = manifest;
    try {
      if (manifest.problem !== undefined) throw manifest.problem;
      const resource = await resourceOf(context, object, source);
      const namespace = resource.namespaced ? namespaceFor(context, object) : "";
      lookups.push({ resource, namespace, name: nameOf(object) || undefined, object, source, manifest });
    } catch (error) {
      const problem = located(context, manifest, error);
      lookups.push({ resource: noResource, namespace: "", name: undefined, object, source, problem });
    }
  }
  return lookups;
}

/** Stands for a type that the server does not serve. */
const noResource: DiscoveredResource = {
  group: "",
  version: "",
  resource: "",
  singularName: "",
  kind: "",
  namespaced: false,
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [],
};

export function namespaceFor(context: Context, object: Json): string {
  const own = namespaceOf(object);
  const asked = context.flags.namespace;
  if (own !== "" && asked !== "" && own !== asked)
    throw new CtlError(
      `the namespace from the provided object "${own}" does not match the namespace "${asked}". You must pass '--namespace=${own}' to perform this operation.`,
    );
  return own || context.namespace;
}

/** The objects that the arguments name; each must have a name. */
export async function namedObjects(
  context: Context,
): Promise<{ readonly resource: DiscoveredResource; readonly ref: Ref }[]> {
  return (await findLookups(context, { allowLists: true })).map(({ resource, namespace, name }) => {
    if (name === undefined) throw new UsageError("the name of an object is needed");
    return { resource, ref: namespace === "" ? { name } : { namespace, name } };
  });
}
