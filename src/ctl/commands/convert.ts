/**
 * `convert`: converts manifests to another version of their API, with a server inside this process that stores one
 * version and reads the other.
 */

import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { cleaned } from "../../operations/cleaned.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { filenameFlags, printFlags } from "../flags/declared.ts";
import { readableManifestsOf, requireKind } from "../input/lookups.ts";
import { forEachManifest } from "../input/problems.ts";
import { apiVersionOf, copy, ensure, groupOf, type Json, kindOf, nameOf, namespaceOf } from "../json.ts";
import { type Offline, openOffline, vocabularyOfManifests } from "../offline.ts";
import { asList, objectPrinter } from "../output/formats.ts";

const convertFlags = {
  ...filenameFlags,
  ...printFlags,
  "output-version": string("The version to convert to; default: the preferred one"),
  local: bool("Ignored", true, { isHidden: true }),
  validate: string("Ignored", "", { bare: "true", isHidden: true }),
};

type ConvertContext = Context<FlagValues<typeof convertFlags>>;

export const convert = command({
  name: "convert",
  summary: "Convert config files between different API versions",
  usage: "-f FILENAME [--output-version=group/version]",
  examples: `ctl convert -f pod.yaml
ctl convert -f pod.yaml --output-version=v1 -o json`,
  flags: convertFlags,
  run,
});

async function run(context: ConvertContext): Promise<void> {
  const manifests = await readableManifestsOf(context);
  await forEachManifest(context, manifests, async ({ object, source }) => requireKind(context, object, source));
  if (manifests.length === 0) throw new CtlError("must specify one of -f and -k");
  const versions = manifests.map(({ object }) => apiVersionOf(object));
  await using offline = await openOffline(context, {
    vocabulary: vocabularyOfManifests(versions, context.behaviour.vocabulary),
    emulatedVersion: levelDefault, // it has the versions that later releases no longer serve
  });
  const converted: Json[] = [];
  for (const { object } of manifests)
    converted.push(await convertOne(offline, object, context.flags["output-version"]));
  const printer = objectPrinter(context) ?? ((value: Json) => encodeYaml(value));
  context.printRaw(printer(converted.length === 1 ? (converted[0] ?? {}) : asList(context, converted)));
}

/** Versions that are no longer served, and that differ from apps/v1 only in defaults. */
const renamed: Readonly<Record<string, readonly string[]>> = {
  "apps/v1beta1": ["Deployment", "StatefulSet", "ControllerRevision"],
  "apps/v1beta2": ["Deployment", "StatefulSet", "ControllerRevision", "DaemonSet", "ReplicaSet"],
};

const isRenamed = (version: string, kind: string): boolean => renamed[version]?.includes(kind) ?? false;

async function convertOne({ session }: Offline, manifest: Json, wanted: string): Promise<Json> {
  const served = await session.discovery();
  const group = groupOf(apiVersionOf(manifest));
  const preferred = served.groups.find(({ name }) => name === group)?.preferred ?? "";
  const version = wanted === "" || groupOf(wanted) !== group ? apiVersionText({ group, version: preferred }) : wanted;
  const own = isRenamed(apiVersionOf(manifest), kindOf(manifest)) ? "apps/v1" : apiVersionOf(manifest);
  const [from, to] = [served.byKind(own, kindOf(manifest)), served.byKind(version, kindOf(manifest))];
  if (from === undefined)
    throw new CtlError(`no kind "${kindOf(manifest)}" is registered for version "${apiVersionOf(manifest)}"`);
  if (to === undefined && isRenamed(version, kindOf(manifest))) return { ...manifest, apiVersion: version };
  if (to === undefined) throw new CtlError(`no kind "${kindOf(manifest)}" is registered for version "${version}"`);
  if (to === from) return { ...manifest, apiVersion: version };
  const namespace = from.namespaced ? "default" : "";
  const body = copy(manifest);
  delete ensure(body, "metadata")["namespace"];
  if (from.namespaced) ensure(body, "metadata")["namespace"] = namespace;
  const name = nameOf(await session.at(from).create(body));
  const result = cleaned(await session.at(to).get({ namespace, name }));
  await session.at(to).delete({ namespace, name });
  if (namespaceOf(manifest) === "") delete ensure(result, "metadata")["namespace"];
  else ensure(result, "metadata")["namespace"] = namespaceOf(manifest);
  return result;
}
