/** Reads the file of a kustomization. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { CtlError } from "../errors.ts";
import type { KustomizationFolder } from "./folder.ts";
import { kustomizationShape } from "./kustomization-fields.ts";
import { checkShape } from "./shape.ts";
import { at, fromPlain, isMembers, type Members, put, textAt, textOf, type YamlValue } from "./value.ts";

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const versions: Readonly<Record<string, string>> = {
  Kustomization: "kustomize.config.k8s.io/v1beta1",
  Component: "kustomize.config.k8s.io/v1alpha1",
};

/** Fields that have a successor, in the order in which kustomize warns of them. */
const deprecated: readonly (readonly [field: string, successor: string])[] = [
  ["bases", "resources"],
  ["imageTags", "images"],
  ["commonLabels", "labels"],
  ["patchesJson6902", "patches"],
  ["patchesStrategicMerge", "patches"],
  ["vars", "replacements"],
];

export interface Kustomization {
  readonly fileName: string;
  readonly spec: Members;
  readonly isComponent: boolean;
  readonly warnings: readonly string[];
}

export function readKustomization(folder: KustomizationFolder): Kustomization {
  const found = fileNames.filter((name) => folder.has(name));
  const [fileName] = found;
  if (fileName === undefined)
    throw new CtlError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${folder.path}'`,
    );
  if (found.length > 1) throw new CtlError(`Found multiple kustomization files under: ${folder.path}`);
  const source = folder.pathOf(fileName);
  const content = fromPlain(decode(folder, fileName) ?? {});
  const spec = checkShape(content, kustomizationShape, { source, name: "Kustomization" });
  if (!isMembers(spec)) throw new CtlError(`${source}: invalid Kustomization: it must be a mapping`);
  if (Object.keys(spec).every((field) => field === "apiVersion" || field === "kind"))
    throw new CtlError(`${source}: kustomization.yaml is empty`);
  const kind = textAt(spec, "kind") || "Kustomization";
  const version = versions[kind];
  if (version === undefined) throw new CtlError(`${source}: kind should be Kustomization or Component`);
  if (at(spec, "apiVersion") !== undefined && textAt(spec, "apiVersion") !== version)
    throw new CtlError(`${source}: apiVersion for ${kind} should be ${version}`);
  if (["helmCharts", "helmChartInflationGenerator", "helmGlobals"].some((field) => Object.hasOwn(spec, field)))
    throw new CtlError(
      `${source}: helmCharts: charts of helm are not inflated here; render the chart with "helm template" and name the file in resources`,
    );
  const warnings = deprecated
    .filter(([field]) => Object.hasOwn(spec, field))
    .map(([field, next]) => warning(field, next));
  settle(spec);
  return { fileName, spec, isComponent: kind === "Component", warnings };
}

function decode(folder: KustomizationFolder, fileName: string): unknown {
  try {
    return decodeYaml(Buffer.from(folder.readText(fileName)));
  } catch (error) {
    if (error instanceof CtlError) throw error;
    const reason = (error instanceof Error ? error.message : String(error)).replace("the body is not YAML: ", "yaml: ");
    throw new CtlError(`${folder.pathOf(fileName)}: invalid Kustomization: ${reason}`, { cause: error });
  }
}

const warning = (field: string, successor: string): string =>
  `# Warning: '${field}' is deprecated. Please use '${successor}' instead. ${field === "vars" ? "[EXPERIMENTAL] " : ""}Run 'kustomize edit fix' to update your Kustomization automatically.\n`;

/** Fields that were renamed go to their successors. */
function settle(spec: Members): void {
  move(spec, "bases", "resources");
  move(spec, "imageTags", "images");
  for (const field of ["configMapGenerator", "secretGenerator"])
    for (const generator of listIn(spec, field)) {
      const env = textAt(generator, "env");
      if (isMembers(generator) && env !== "") put(generator, "envs", [...listIn(generator, "envs"), env]);
    }
}

function move(spec: Members, from: string, to: string): void {
  const moved = listIn(spec, from);
  if (moved.length > 0) put(spec, to, [...listIn(spec, to), ...moved]);
  delete spec[from];
}

/** The items of a list; [] if there is none. */
function listIn(value: YamlValue | undefined, field: string): YamlValue[] {
  const found = at(value, field);
  return Array.isArray(found) ? found : [];
}

export const membersIn = (value: YamlValue | undefined, field: string): Members[] =>
  listIn(value, field).filter(isMembers);
export const textsIn = (value: YamlValue | undefined, field: string): string[] => listIn(value, field).map(textOf);
