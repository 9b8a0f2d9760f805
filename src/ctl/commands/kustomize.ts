/** `kustomize`: prints what a kustomization makes. */

import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { Command } from "../command.ts";
import { CtlError } from "../errors.ts";
import { buildKustomization } from "../kustomize/build.ts";

export const kustomize: Command = {
  name: "kustomize",
  summary: "Build a kustomization target from a directory",
  usage: "DIR",
  examples: `ctl kustomize overlays/production`,
  flags: [{ name: "output", short: "o", type: "text", help: "A file to write to", isHidden: true }],
  async run(context) {
    const [folder = ".", ...others] = context.args;
    if (others.length > 0) throw new CtlError("specify one path to kustomization.yaml");
    context.print(
      buildKustomization(folder, context.environment)
        .map((object) => encodeYaml(object))
        .join("---\n"),
    );
  },
};
