/** Builds a kustomization: the resources of a folder and its bases, changed according to `kustomization.yaml`. */

import { resolve } from "node:path";
import type { ProgramEnvironment } from "../environment.ts";
import type { Json } from "../json.ts";
import { Accumulation } from "./accumulation.ts";
import { KustomizationFolder, type LoadRestrictor } from "./folder.ts";
import { readKustomization, textsIn } from "./kustomization.ts";
import { declaredSchemas } from "./merge-schema.ts";
import { followNames } from "./name-references.ts";
import { addHashes } from "./names.ts";
import { sortResources } from "./order.ts";
import { BuildMetadata } from "./origin.ts";
import { checkNamed, settleTexts } from "./resource.ts";
import { TargetBuilder } from "./target.ts";
import { at, isMembers, plainMembers, textAt } from "./value.ts";
import { resolveVariables } from "./vars.ts";

/** Resources with this annotation are for other tools. */
const localConfig = "config.kubernetes.io/local-config";

export async function buildKustomization(
  folder: string,
  environment: Pick<ProgramEnvironment, "cwd" | "stderr" | "loadKinds">,
  restrictor: LoadRestrictor = "LoadRestrictionsRootOnly",
): Promise<Json[]> {
  const root = new KustomizationFolder(resolve(environment.cwd, folder), restrictor);
  const kustomization = readKustomization(root);
  const warn = (text: string) => environment.stderr.write(text);
  const metadata = new BuildMetadata(textsIn(kustomization.spec, "buildMetadata"));
  const builder = new TargetBuilder({ declared: await declaredSchemas(environment), warn, metadata });
  const built = new Accumulation();
  builder.build(root, kustomization, built);
  const { list, config, variables } = built;
  for (const resource of list.all) if (!resource.isDeleted) checkNamed(resource.members);
  addHashes(list);
  followNames(list, config.nameReference);
  const unused = resolveVariables(list, variables, config.varReference);
  if (unused.length > 0) warn(`well-defined vars that were never replaced: ${unused.join(",")}\n`);
  const sortOptions = at(kustomization.spec, "sortOptions");
  // Kustomize finds out when it sorts.
  if (textAt(sortOptions, "order") !== "fifo") list.checkUnique();
  const kept = list.all.filter((resource) => (resource.labels("annotations").get(localConfig) ?? "false") === "false");
  return sortResources(kept, isMembers(sortOptions) ? sortOptions : undefined).map((resource) => {
    metadata.annotate(resource);
    settleTexts(resource.members, "annotations");
    return plainMembers(resource.members);
  });
}
