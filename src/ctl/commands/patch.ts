/** `patch`: changes fields of objects by a patch from the user. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type FlagValues, string } from "../../base/flags/flag.ts";
import type { ObjectAddress } from "../../client/contract.ts";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { applyJsonPatch } from "../../machinery/patch/json-patch.ts";
import { applyMergePatch } from "../../machinery/patch/merge-patch.ts";
import { applyStrategicMerge } from "../../machinery/patch/strategic-merge.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  localFlag,
  printFlags,
  recordFlag,
  subresourceFlag,
} from "../flags/declared.ts";
import { hasFiles, nothingNamed, subresourceOf } from "../input/lookups.ts";
import { forEachTarget } from "../input/targets.ts";
import { isJson, isSame, type Json, nameText, text, texts } from "../json.ts";
import { dryRunOf, objectPrinter, printResult } from "../output/formats.ts";
import { recorded } from "../write/notes.ts";
import { managerOf, writeOptions } from "../write/write-options.ts";

const patchFlags = {
  ...filenameFlags,
  ...printFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...localFlag,
  ...fieldManagerFlag("patch"),
  patch: string("The patch, in JSON or YAML", "", { short: "p" }),
  "patch-file": string("A file with the patch"),
  type: string("json, merge or strategic", "strategic"),
  ...subresourceFlag,
};

type PatchContext = Context<FlagValues<typeof patchFlags>>;

export const patch = command({
  name: "patch",
  summary: "Update field(s) of a resource",
  usage: "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
  examples: `ctl patch node k8s-node-1 -p '{"spec":{"unschedulable":true}}'
ctl patch -f node.json -p '{"spec":{"unschedulable":true}}'
ctl patch pod valid-pod --type='json' -p='[{"op": "replace", "path": "/spec/containers/0/image", "value":"new image"}]'`,
  flags: patchFlags,
  run,
});

async function run(context: PatchContext): Promise<void> {
  const { flags } = context;
  const type = flags.type.toLowerCase();
  if (type !== "json" && type !== "merge" && type !== "strategic")
    throw new CtlError(`--type must be one of [json merge strategic], not "${flags.type}"`);
  const change = readPatch(context);
  const isLocal = flags.local;
  if (isLocal && !hasFiles(context)) throw new CtlError(nothingNamed);
  const dryRun = dryRunOf(context);
  const manager = managerOf(context, "patch");
  const count = await forEachTarget(context, { isLocal }, async ({ resource, namespace, name, object }) => {
    if (isLocal || dryRun === "client") {
      const schema = type === "strategic" ? await context.session.openApi.mergeSchema(resource) : undefined;
      if (type === "strategic" && schema === undefined)
        throw new CtlError(
          `cannot apply strategic merge patch for ${resource.group}/${resource.version}, Kind=${resource.kind} locally, try --type merge`,
        );
      const result = patched(object, change, type === "json" ? "json" : schema);
      const isChanged = !isSame(result, object);
      if (objectPrinter(context) === undefined)
        printResult(
          context,
          result,
          isChanged ? "patched" : "patched (no change)",
          dryRun === "client" ? dryRun : "none",
        );
      else printResult(context, result, "patched");
      return;
    }
    const place = { resource, namespace, name };
    const result = await context.at(resource).patch(place, change, {
      ...writeOptions(manager, dryRun),
      type,
      subresource: subresourceOf(context),
    });
    const isDeleted = dryRun === "none" && endsDeletion(object, result);
    const noted = isDeleted ? result : await record(context, place, result, manager);
    const isChanged =
      text(result, "metadata", "resourceVersion") !== text(object, "metadata", "resourceVersion") ||
      !isSame(result, object) ||
      dryRun !== "none";
    printResult(context, noted, isChanged ? "patched" : "patched (no change)", dryRun);
    if (isDeleted && context.behaviour.givesHints)
      context.note(`${nameText(result)} has no finalizers any more and is deleted now`);
  });
  if (count === 0) throw new CtlError("no objects passed to patch");
}

/** Whether the patch removed the last finalizer of an object that waited for it: the server deletes it at once. */
function endsDeletion(before: Json, after: Json): boolean {
  return (
    text(before, "metadata", "deletionTimestamp") !== "" &&
    (text(before, "metadata", "deletionGracePeriodSeconds") || "0") === "0" &&
    texts(before, "metadata", "finalizers").length > 0 &&
    texts(after, "metadata", "finalizers").length === 0
  );
}

function readPatchFile(path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CtlError(`unable to read patch file: open ${shown}: no such file or directory`, { cause: error });
  }
}

/** The patch; a text is sent unchanged. */
function readPatch(context: PatchContext): unknown {
  const { flags, environment } = context;
  const file = flags["patch-file"];
  const inline = flags.patch;
  if (file !== "" && inline !== "") throw new CtlError("cannot specify --patch and --patch-file together");
  if (file === "" && !context.isSet("patch"))
    throw new CtlError("must specify --patch or --patch-file containing the contents of the patch");
  const content = file === "" ? inline : readPatchFile(resolve(environment.cwd, file), file);
  // The server validates a text that looks like JSON, as with kubectl.
  if (/^\s*\{/.test(content) && !isJsonText(content)) return content;
  try {
    const value = decodeYaml(Buffer.from(content));
    return typeof value === "string" ? JSON.stringify(value) : value;
  } catch (error) {
    throw new CtlError(`unable to parse "${content}": ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `how`: a JSON patch, a strategic merge by a schema, or (undefined) a merge patch. */
export function patched(object: Json, change: unknown, how: "json" | StructSchema | undefined): Json {
  try {
    const result =
      how === "json"
        ? applyJsonPatch(object, change)
        : how === undefined
          ? applyMergePatch(object, change)
          : applyStrategicMerge(how, object, change);
    return isJson(result) ? result : object;
  } catch (error) {
    // It is no refusal of a server: nothing was sent.
    throw error instanceof StatusError ? new CtlError(error.message, { cause: error }) : error;
  }
}

/** With --record, the annotation with this command is written after the change. */
async function record(context: Context, place: ObjectAddress, result: Json, manager: string): Promise<Json> {
  const noted = await recorded(context, result);
  if (noted === result || dryRunOf(context) !== "none") return result;
  const annotations = isJson(noted["metadata"]) ? noted["metadata"]["annotations"] : {};
  return context.at(place.resource).patch(place, { metadata: { annotations } }, writeOptions(manager));
}
