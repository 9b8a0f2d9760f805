/** `edit`: changes an object in the user's editor. */

import { bool } from "../../base/flags/flag.ts";
import { createPatch } from "../../machinery/patch/create-patch.ts";
import { command } from "../command.ts";
import {
  fieldManagerFlag,
  filenameFlags,
  printFlags,
  recordFlag,
  saveConfigFlag,
  selectorFlag,
  subresourceFlag,
  validateFlag,
  windowsFlag,
} from "../flags/declared.ts";
import { goJson } from "../go-json.ts";
import { subresourceOf } from "../input/lookups.ts";
import { copy } from "../json.ts";
import { checkHere, fieldValidationOf } from "../write/check.ts";
import { lastApplied, lastAppliedKey, recorded, withApplied } from "../write/notes.ts";
import { managerOf, writeOptions } from "../write/write-options.ts";
import { editable, editObjects } from "./edit-objects.ts";

export const edit = command({
  name: "edit",
  summary: "Edit a resource on the server",
  usage: "(RESOURCE/NAME | -f FILENAME)",
  examples: `ctl edit svc/docker-registry
EDITOR="nano" ctl edit deployment/mydeployment -o json
ctl edit deployment/mydeployment --save-config`,
  description:
    "Opens the editor that KUBE_EDITOR or EDITOR names. Errors of the server are shown in the terminal, and the draft is kept.",
  flags: {
    ...filenameFlags,
    ...printFlags,
    ...selectorFlag,
    ...subresourceFlag,
    ...recordFlag,
    ...validateFlag,
    ...fieldManagerFlag("edit"),
    ...saveConfigFlag,
    ...windowsFlag,
    "output-patch": bool("Print the patch"),
  },
  async run(context) {
    const manager = managerOf(context, "edit");
    const key = await lastAppliedKey(context);
    await editObjects(context, {
      show: editable,
      save: async (place, edited, before, dryRun) => {
        await checkHere(context, { object: edited, source: "edited" });
        const keeps = context.flags["save-config"] || lastApplied(before, key) !== undefined;
        const noted = await recorded(context, edited);
        const wanted = keeps && context.flags["save-config"] ? withApplied(copy(noted), key) : noted;
        const schema = await context.session.openApi.mergeSchema(place.resource);
        const patch = createPatch(before, wanted, schema);
        if (context.flags["output-patch"] && dryRun === "none") context.print(`Patch: ${goJson(patch)}\n`);
        return context.at(place.resource).patch(place, patch, {
          ...writeOptions(manager, dryRun, await fieldValidationOf(context)),
          subresource: subresourceOf(context),
          type: schema === undefined ? "merge" : "strategic",
        });
      },
    });
  },
});
