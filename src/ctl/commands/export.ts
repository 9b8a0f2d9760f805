/** `export` and `import`: all objects of a namespace as clean manifests, and back, in an order that works. */

import { resolve } from "node:path";
import { bool, type FlagValues, string } from "../../base/flags/flag.ts";
import { writePrivate } from "../../base/private-file.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  selectorFlag,
} from "../flags/declared.ts";
import { everyResource } from "../input/everything.ts";
import { findLookups, namespaceFor, resourceOf, soundManifestsOf } from "../input/lookups.ts";
import { throwAll } from "../input/targets.ts";
import { type Json, kindOf, list, nameOf, namespaceOf, text } from "../json.ts";
import { legacyOrder } from "../kustomize/order.ts";
import { cleaned } from "../output/clean.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
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
    "Omits fields that the server sets, objects that controllers create, Events, and tokens of service accounts.",
  flags: exportFlags,
  run: runExport,
});

const made = new Set([
  "Event",
  "Endpoints",
  "EndpointSlice",
  "Lease",
  "ControllerRevision",
  "Node",
  "ComponentStatus",
  "PodMetrics",
  "NodeMetrics",
  "APIService",
  "CSINode",
]);

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
    if (made.has(resource.kind) && args.length === 0) continue;
    for await (const object of context.at(resource).items({
      namespace: resource.namespaced && !isEverywhere ? context.namespace : "",
      labelSelector: flags.selector,
    }))
      if (isWanted(context, object)) found.push(cleaned(object));
  }
  const content = found
    .sort(legacyOrder)
    .map((object) => encodeYaml(object))
    .join("---\n");
  const file = flags["output-file"];
  if (file === "") return context.printRaw(content);
  writePrivate(resolve(context.environment.cwd, file), content);
  context.say(`${found.length} objects written to ${file}`);
}

function isWanted(context: ExportContext, object: Json): boolean {
  if (list(object, "metadata", "ownerReferences").some((one) => one["controller"] === true)) return false;
  const name = nameOf(object);
  if (kindOf(object) === "Secret")
    return context.flags["with-secrets"] && !/service-account-token$/.test(text(object, "type"));
  if (kindOf(object) === "ConfigMap" && /^(kube|orch)-root-ca\.crt$/.test(name)) return false;
  if (kindOf(object) === "ServiceAccount" && name === "default") return false;
  if (/^(Cluster)?Role(Binding)?$/.test(kindOf(object)))
    return !(
      name.startsWith("system:") ||
      Object.keys((object["metadata"] as Json)["labels"] ?? {}).some((key) => key.endsWith("/bootstrapping"))
    );
  if (kindOf(object) === "Namespace") return !/^(default|(kube|orch)-(system|public|node-lease))$/.test(name);
  return !(kindOf(object) === "Service" && namespaceOf(object) === "default" && /^(kubernetes|orch)$/.test(name));
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
      : await soundManifestsOf(context);
  if (manifests.length === 0) throw new CtlError("name the files to import");
  const manager = await managerOf(context, "import");
  const dryRun = dryRunOf(context);
  const failures: unknown[] = [];
  for (const { object, source } of [...manifests].sort((a, b) => legacyOrder(a.object, b.object))) {
    try {
      const resource = await resourceOf(context, object, source);
      const namespace = resource.namespaced ? namespaceFor(context, object) : "";
      const wanted = withNamespace(cleaned(object), resource, namespace);
      const result =
        dryRun === "client"
          ? wanted
          : await context.at(resource).patch({ namespace, name: nameOf(object) }, wanted, {
              ...writeOptions(manager, dryRun),
              type: "apply",
              force: true,
            });
      printResult(context, result, "imported", dryRun);
    } catch (error) {
      failures.push(error);
    }
  }
  throwAll(failures);
}
