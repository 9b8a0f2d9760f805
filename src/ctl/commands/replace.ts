/** `replace`: replaces objects on the server by those of files. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, whileDoing } from "../errors.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  subresourceFlag,
  validateFlag,
} from "../flags/declared.ts";
import { manifestsOf, namespaceFor, resourceOf, subresourceOf } from "../input/lookups.ts";
import { rawBody } from "../input/raw.ts";
import { getIfThere, throwAll } from "../input/targets.ts";
import { type Json, nameOf } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { kindName } from "../server/resource-names.ts";
import { checkManifest } from "../write/check.ts";
import { lastApplied, lastAppliedKey, recorded, withApplied } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { deleteAndWait, deletionFlags, propagationOf } from "./delete.ts";

export const replace: Command = {
  name: "replace",
  summary: "Replace a resource by filename or stdin",
  usage: "-f FILENAME",
  examples: `ctl replace -f ./pod.json
ctl replace --force -f ./pod.json`,
  flags: [
    ...filenameFlags,
    ...printFlags,
    ...deletionFlags,
    dryRunFlag,
    recordFlag,
    validateFlag,
    subresourceFlag,
    fieldManagerFlag("replace"),
    { name: "save-config", type: "bool", help: "Save the configuration in the last-applied annotation" },
    { name: "raw", type: "text", help: "A path of the server to PUT to" },
  ],
  run,
};

async function run(context: Context): Promise<void> {
  const { flags } = context;
  if (flags.isSet("raw")) return replaceRaw(context);
  const isForced = flags.on("force");
  if (flags.int("grace-period") >= 0 && flags.isSet("grace-period") && !isForced)
    throw new CtlError("--grace-period must have --force specified");
  if (flags.durationMs("timeout") !== 0 && !isForced) throw new CtlError("--timeout must have --force specified");
  if (isForced && dryRunOf(context) === "server") throw new CtlError("--dry-run=server cannot be used with --force");
  if (flags.list("filename").length === 0 && flags.text("kustomize") === "")
    throw new CtlError("must specify one of -f and -k");
  const manifests = await manifestsOf(context);
  if (manifests.length === 0) throw new CtlError("no objects passed to replace");
  const manager = await managerOf(context, "replace");
  const key = await lastAppliedKey(context);
  const dryRun = dryRunOf(context);
  const failures: unknown[] = [];
  const forced: Forced[] = [];
  for (const one of manifests) {
    try {
      await checkManifest(context, one);
      const { object: manifest, source } = one;
      const resource = await resourceOf(context, manifest, source);
      const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
      const place = { resource, namespace, name: nameOf(manifest) };
      const keeps = flags.on("save-config") || lastApplied(manifest, key) !== undefined;
      const own = await recorded(context, withNamespace(manifest, resource, namespace));
      const wanted = keeps ? withApplied(own, key) : own;
      if (dryRun === "client") {
        printResult(context, wanted, "replaced", dryRun);
        continue;
      }
      if (isForced) forced.push({ place, wanted, source });
      else {
        const options = { ...writeOptions(manager, dryRun), subresource: subresourceOf(context) };
        const replaced = context.at(resource).update(wanted, options);
        const result = await replaced.catch((error: unknown) => {
          throw whileDoing("replacing", source, error);
        });
        printResult(context, result, "replaced", dryRun);
      }
    } catch (error) {
      failures.push(error);
    }
  }
  await recreateAll(context, forced, manager, failures);
  throwAll(failures);
}

interface Forced {
  readonly place: { readonly resource: DiscoveredResource; readonly namespace: string; readonly name: string };
  readonly wanted: Json;
  readonly source: string;
}

/** Deletes all objects before it creates the first one: dependents may have to be deleted with their owner. */
async function recreateAll(
  context: Context,
  objects: readonly Forced[],
  manager: string,
  failures: unknown[],
): Promise<void> {
  const { flags } = context;
  const options = {
    propagationPolicy: propagationOf(context),
    gracePeriodSeconds: flags.isSet("grace-period") ? flags.int("grace-period") : 0,
  };
  const gone: Forced[] = [];
  for (const one of objects) {
    const { place } = one;
    try {
      if ((await getIfThere(context, place)) !== undefined) {
        await deleteAndWait(context, place, options);
        context.print(`${kindName(place.resource)} "${place.name}" deleted\n`);
      }
      gone.push(one);
    } catch (error) {
      failures.push(error);
    }
  }
  for (const { place, wanted, source } of gone)
    try {
      const placed = withNamespace(wanted, place.resource, place.namespace);
      printResult(context, await context.at(place.resource).create(placed, writeOptions(manager)), "replaced");
    } catch (error) {
      failures.push(whileDoing("replacing", source, error));
    }
}

async function replaceRaw(context: Context): Promise<void> {
  const body = await rawBody(context, ["output"]);
  const response = await context.session.send.open(context.flags.text("raw"), { method: "PUT", body });
  context.printRaw(await response.text());
}
