/** `export` and `import`: all objects of a namespace as clean manifests, and back, in an order that works. */

import { resolve } from "node:path";
import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { writePrivate } from "../../base/private-file.ts";
import { isForbidden } from "../../client/requests/refusals.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { cleaned } from "../../operations/cleaned.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, throwFailures } from "../errors.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  selectorFlag,
} from "../flags/declared.ts";
import { everyResource } from "../input/everything.ts";
import { findLookups, findResource, namespaceFor, readableManifestsOf, resourceOf } from "../input/lookups.ts";
import { copy, ensure, type Json, kindOf, nameOf, object } from "../json.ts";
import { legacyOrder } from "../kustomize/order.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { isMade, isOwn } from "../output/own-objects.ts";
import { untilNotTerminating, untilUsable } from "../write/namespace-waits.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";

const exportFlags = {
  ...selectorFlag,
  ...allNamespacesFlag,
  "output-file": string("A file to write to, readable by you only"),
  "with-secrets": bool("Also secrets", true),
};

type ExportContext = Context<FlagValues<typeof exportFlags>>;

export const exportCommand = command({
  name: "export",
  summary: "Write the objects of a namespace as clean manifests",
  usage: "[TYPE...] [-n NAMESPACE | -A] [--output-file FILE]",
  examples: `ctl export -n shop > shop.yaml`,
  description:
    "With the namespace itself. Omits fields that the server sets, objects that controllers create, Events, and tokens of service accounts.",
  flags: exportFlags,
  run: runExport,
});

async function runExport(context: ExportContext): Promise<void> {
  const { flags, args } = context;
  const resources =
    args.length > 0
      ? (await findLookups(context, { allowLists: true })).map(({ resource }) => resource)
      : await everyResource(context);
  const isEverywhere = flags["all-namespaces"];
  const found: Json[] = [];
  for (const resource of resources) {
    if (!resource.namespaced && !isEverywhere && args.length === 0) continue;
    if (isMade(resource) && args.length === 0) continue;
    for await (const one of context.at(resource).items({
      namespace: resource.namespaced && !isEverywhere ? context.namespace : "",
      labelSelector: flags.selector,
    }))
      if (isOwn(one, context.flags["with-secrets"])) found.push(cleaned(one));
  }
  const own = isEverywhere || args.length > 0 ? undefined : await ownNamespace(context);
  if (own !== undefined) found.push(cleaned(own));
  const content = found
    .sort(legacyOrder)
    .map((object) => encodeYaml(object))
    .join("---\n");
  const file = flags["output-file"];
  if (file === "") return context.printRaw(content);
  writePrivate(resolve(context.environment.cwd, file), content);
  context.say(`${found.length} objects written to ${file}`);
}

/** The namespace of the exported objects; undefined: every server has it, or the caller may not read it. */
async function ownNamespace(context: ExportContext): Promise<Json | undefined> {
  const namespaces = await findResource(context, "namespaces");
  const found = await context.session.find(namespaces, { name: context.namespace }).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    context.say(`the namespace itself is not exported: ${describeError(error)}`);
    return undefined;
  });
  return found !== undefined && isOwn(found) ? found : undefined;
}

const importFlags = { ...filenameFlags, ...printFlags, ...dryRunFlag, ...fieldManagerFlag("import") };

export const importCommand = command({
  name: "import",
  summary: "Create or update objects from exported manifests, in an order that works",
  usage: "(FILE... | -f FILENAME)",
  examples: `ctl import shop.yaml -n copy`,
  flags: importFlags,
  run: runImport,
});

async function runImport(context: Context): Promise<void> {
  const { readManifests } = await import("../input/manifests.ts");
  const manifests =
    context.args.length > 0
      ? await readManifests(context.environment, { filenames: context.args, isRecursive: true })
      : await readableManifestsOf(context);
  if (manifests.length === 0) throw new CtlError("name the files to import");
  const manager = managerOf(context, "import");
  const dryRun = dryRunOf(context);
  const failures: unknown[] = [];
  for (const { object: exported, source } of [...manifests].sort((a, b) => legacyOrder(a.object, b.object))) {
    try {
      const object = relocated(context, exported);
      const resource = await resourceOf(context, object, source);
      const namespace = resource.namespaced ? namespaceFor(context, object) : "";
      const wanted = withNamespace(cleaned(object), resource, namespace);
      const isNamespace = resource.kind === "Namespace" && resource.group === "" && dryRun === "none";
      if (isNamespace) await untilNotTerminating(context, resource, nameOf(object));
      const result =
        dryRun === "client"
          ? wanted
          : await context.at(resource).patch({ namespace, name: nameOf(object) }, wanted, {
              ...writeOptions(manager, dryRun),
              type: "apply",
              force: true,
            });
      printResult(context, result, "imported", dryRun);
      if (isNamespace) await untilUsable(context, nameOf(object));
    } catch (error) {
      failures.push(error);
    }
  }
  throwFailures(failures);
}

/** With -n, what was in one namespace is imported into another, and the namespace itself under the new name. */
function relocated({ flags: { namespace } }: Context, exported: Json): Json {
  if (namespace === "") return exported;
  const result = copy(exported);
  const metadata = ensure(result, "metadata");
  if (kindOf(result) === "Namespace") {
    metadata["name"] = namespace;
    const labels = object(metadata, "labels");
    for (const key of Object.keys(labels)) if (key.endsWith("/metadata.name")) labels[key] = namespace;
  } else if (metadata["namespace"] !== undefined) metadata["namespace"] = namespace;
  return result;
}
