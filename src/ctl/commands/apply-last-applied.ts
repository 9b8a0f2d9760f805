/**
 * `apply view-last-applied`, `set-last-applied` and `edit-last-applied`: the annotation with the last applied manifest.
 */

import { bool, string } from "../../base/flags/flag.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { command } from "../command.ts";
import { CtlError, UsageError } from "../errors.ts";
import {
  allFlag,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  selectorFlag,
} from "../flags/declared.ts";
import { goJson, prettyJson } from "../go-json.ts";
import { hasFiles, manifestsOf, namespaceFor, nothingNamed, resourceOf } from "../input/lookups.ts";
import { forEachManifest } from "../input/problems.ts";
import { findObject, forEachTarget } from "../input/targets.ts";
import { type Json, nameOf, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { appliedText, lastApplied, lastAppliedKey } from "../write/notes.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { editObjects } from "./edit-objects.ts";

export const viewLastApplied = command({
  name: "view-last-applied",
  summary: "View latest last-applied-configuration annotations of a resource/object",
  usage: "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
  examples: `ctl apply view-last-applied deployment/nginx
ctl apply view-last-applied -f deploy.yaml -o json`,
  flags: {
    ...filenameFlags,
    ...selectorFlag,
    ...allFlag,
    output: string("yaml or json", "yaml", { short: "o" }),
  },
  async run(context) {
    const output = context.flags.output;
    if (output !== "yaml" && output !== "json")
      throw new UsageError(`Unexpected -o output mode: ${output}, the flag 'output' must be one of yaml|json`);
    const key = await lastAppliedKey(context);
    await forEachTarget(context, {}, async ({ object, name, resource }) => {
      const applied = lastApplied(object, key);
      if (applied === undefined && context.behaviour.skipsUnapplied) return; // kubectl prints nothing in this case
      if (applied === undefined)
        throw new CtlError(`no last-applied-configuration annotation found on resource: ${name || resource.resource}`);
      context.printRaw(output === "yaml" ? encodeYaml(applied) : prettyJson(applied));
    });
  },
});

export const setLastApplied = command({
  name: "set-last-applied",
  summary: "Set the last-applied-configuration annotation on a live object to match the contents of a file",
  usage: "-f FILENAME",
  examples: `ctl apply set-last-applied -f deploy.yaml
ctl apply set-last-applied -f deploy.yaml --create-annotation=true`,
  flags: {
    ...filenameFlags,
    ...printFlags,
    ...dryRunFlag,
    ...fieldManagerFlag(""),
    "create-annotation": bool("Create the annotation if it is missing"),
  },
  async run(context) {
    const key = await lastAppliedKey(context);
    const dryRun = dryRunOf(context);
    if (!hasFiles(context)) throw new CtlError(nothingNamed);
    await forEachManifest(context, await manifestsOf(context), async ({ object: manifest, source }) => {
      const resource = await resourceOf(context, manifest, source);
      const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
      const place = { resource, namespace, name: nameOf(manifest) };
      const live = await context.at(place.resource).get(place);
      if (lastApplied(live, key) === undefined && !context.flags["create-annotation"])
        throw new CtlError(
          `no last-applied-configuration annotation found on resource: ${nameOf(manifest)}, to create the annotation, run the command with --create-annotation`,
        );
      const applied = `${goJson(withNamespace(manifest, resource, namespace))}\n`;
      if (text(live, "metadata", "annotations", key) === applied) {
        context.print(`set-last-applied ${place.name}: no changes required.\n`);
        return;
      }
      const patch = { metadata: { annotations: { [key]: applied } } };
      const result: Json =
        dryRun === "client"
          ? live
          : await context.at(resource).patch(place, patch, writeOptions(managerOf(context, ""), dryRun));
      printResult(context, result, "configured", dryRun);
    });
  },
});

export const editLastApplied = command({
  name: "edit-last-applied",
  summary: "Edit latest last-applied-configuration annotations of a resource/object",
  usage: "(RESOURCE/NAME | -f FILENAME)",
  examples: `ctl apply edit-last-applied deployment/nginx`,
  flags: { ...filenameFlags, ...printFlags, ...recordFlag, ...fieldManagerFlag("client-side-apply") },
  async run(context) {
    const key = await lastAppliedKey(context);
    await editObjects(context, {
      show: (live) => {
        const applied = lastApplied(live, key);
        if (applied === undefined)
          throw new CtlError(`no last-applied-configuration annotation found on resource: ${nameOf(live)}`);
        return applied;
      },
      save: async (place, edited, _before, dryRun) => {
        const live = await findObject(context, place);
        if (live === undefined) throw new CtlError(`${place.resource.resource} "${place.name}" no longer exists`);
        const patch = { metadata: { annotations: { [key]: appliedText(edited, key) } } };
        const manager = managerOf(context, "client-side-apply");
        return context.at(place.resource).patch(place, patch, writeOptions(manager, dryRun));
      },
    });
  },
});
