/** `kustomize`: prints the objects that a kustomization builds. */

import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { choice, string } from "../../base/flags/flag.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { command } from "../command.ts";
import { CtlError } from "../errors.ts";
import { type Json, kindOf, nameOf, text } from "../json.ts";
import { buildKustomization } from "../kustomize/build.ts";
import { loadRestrictors } from "../kustomize/folder.ts";

export const kustomize = command({
  name: "kustomize",
  summary: "Build a kustomization target from a directory",
  usage: "DIR",
  examples: `ctl kustomize overlays/production
ctl kustomize overlays/production -o built.yaml`,
  flags: {
    output: string("A file to write to, or a folder for a file of each object", "", { short: "o" }),
    "load-restrictor": choice(
      loadRestrictors,
      "LoadRestrictionsNone: files outside the folder of a kustomization may be read too",
      "LoadRestrictionsRootOnly",
    ),
  },
  async run(context) {
    const [folder = ".", ...others] = context.args;
    // Its errors have always begun with a capital letter.
    const refuse = (error: Error) => new CtlError(`Error: ${error.message}`, { isBare: true, cause: error });
    if (others.length > 0) throw refuse(new Error("specify one path to kustomization.yaml"));
    let objects: Json[];
    try {
      objects = await buildKustomization(folder, context.environment, context.flags["load-restrictor"]);
    } catch (error) {
      throw error instanceof CtlError && context.behaviour.beginsWithCapital ? refuse(error) : error;
    }
    const output = context.flags.output;
    if (output !== "") return write(resolve(context.environment.cwd, output), objects);
    context.print(together(objects));
  },
});

const together = (objects: readonly Json[]): string => objects.map((object) => encodeYaml(object)).join("---\n");

/** Into an existing folder: one file for each object, named as kustomize names them. */
function write(output: string, objects: readonly Json[]): void {
  const isFolder = statSync(output, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) writeFileSync(output, together(objects), { mode: 0o600 });
  for (const object of isFolder ? objects : []) {
    const version = text(object, "apiVersion").replace("/", "_").toLowerCase();
    const name = `${version}_${kindOf(object).toLowerCase()}_${nameOf(object).replaceAll(/[^\w.-]/g, "_")}.yaml`;
    writeFileSync(join(output, name), encodeYaml(object), { mode: 0o600 });
  }
}
