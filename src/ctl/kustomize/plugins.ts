/** Generators, transformers and validators of a kustomization in files: the ones that kustomize has built in. */

import { CtlError } from "../errors.ts";
import { isSame } from "../json.ts";
import type { Accumulation } from "./accumulation.ts";
import { type SubjectMode, setEntries, setNamespace } from "./common-fields.ts";
import type { FieldSpec } from "./field-spec.ts";
import type { KustomizationFolder } from "./folder.ts";
import { generateConfigMap, generateSecret } from "./generators.ts";
import { setImage, setReplicas } from "./images.ts";
import { membersIn, textsIn } from "./kustomization.ts";
import { addHashes, addPrefix, addSuffix } from "./names.ts";
import { applyJsonPatches, applyPatch, applyStrategicMerges } from "./patches.ts";
import { applyReplacement, replacementsOf } from "./replacements.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import type { Step, StepContext } from "./steps.ts";
import { specsOf } from "./transformer-config.ts";
import { at, isMembers, type Members, plainMembers, plainValue, textAt } from "./value.ts";

export function generatorPlugins(plugins: Accumulation, folder: KustomizationFolder): Resource[] {
  return plugins.list.all.map((plugin) => {
    const { kind } = plugin.gvk;
    const generate = isBuiltIn(plugin) && Object.hasOwn(generators, kind) ? generators[kind] : undefined;
    if (generate === undefined) throw refused(plugin, folder);
    const made = generate({ ...plugin.members, name: plugin.name, namespace: plugin.namespace }, undefined, folder);
    made.origin = originOf(plugin);
    return made;
  });
}

const generators: Readonly<Record<string, typeof generateConfigMap>> = {
  ConfigMapGenerator: generateConfigMap,
  SecretGenerator: generateSecret,
};

const isBuiltIn = (plugin: Resource): boolean => textAt(plugin.members, "apiVersion") === "builtin";

function originOf(plugin: Resource): NonNullable<Step["origin"]> {
  const { name, namespace } = plugin;
  const configuredBy = {
    apiVersion: "builtin",
    kind: plugin.gvk.kind,
    name,
    ...(namespace === "" ? {} : { namespace }),
  };
  return { ...(plugin.origin?.path === undefined ? {} : { configuredIn: plugin.origin.path }), configuredBy };
}

export function transformerPlugins(plugins: Accumulation, context: StepContext): Step[] {
  return plugins.list.all.map((plugin) => {
    const { kind } = plugin.gvk;
    const run = isBuiltIn(plugin) && Object.hasOwn(transformers, kind) ? transformers[kind] : undefined;
    if (run === undefined) throw refused(plugin, context.folder);
    return { kind, run: (list) => run(list, plugin.members, context), origin: originOf(plugin) };
  });
}

type Transformer = (list: ResourceList, plugin: Members, context: StepContext) => void;

const transformers: Readonly<Record<string, Transformer>> = {
  PrefixTransformer: (list, plugin) => addPrefix(list, textAt(plugin, "prefix"), specsNeeded(plugin)),
  SuffixTransformer: (list, plugin) => addSuffix(list, textAt(plugin, "suffix"), specsNeeded(plugin)),
  PrefixSuffixTransformer(list, plugin) {
    addPrefix(list, textAt(plugin, "prefix"), specsNeeded(plugin));
    addSuffix(list, textAt(plugin, "suffix"), specsNeeded(plugin));
  },
  NamespaceTransformer: (list, plugin, { folder }) =>
    setNamespace(list, {
      namespace: textAt(plugin, "metadata", "namespace"),
      specs: specsIn(plugin),
      subjects: subjectMode(textAt(plugin, "setRoleBindingSubjects"), folder),
      unsetOnly: at(plugin, "unsetOnly") === true,
    }),
  LabelTransformer: (list, plugin) => setEntries(list, entriesIn(plugin, "labels"), specsIn(plugin)),
  AnnotationsTransformer: (list, plugin) => setEntries(list, entriesIn(plugin, "annotations"), specsIn(plugin)),
  ImageTagTransformer: (list, plugin) => setImage(list, entriesIn(plugin, "imageTag") ?? {}, specsIn(plugin)),
  ReplicaCountTransformer: (list, plugin) => setReplicas(list, entriesIn(plugin, "replica") ?? {}, specsIn(plugin)),
  PatchTransformer: (list, plugin, context) => applyPatch(list, plugin, context),
  PatchStrategicMergeTransformer(list, plugin, context) {
    const inline = textAt(plugin, "patches");
    for (const entry of [...textsIn(plugin, "paths"), ...(inline === "" ? [] : [`${inline}\n`])])
      applyStrategicMerges(list, entry, context);
  },
  PatchJson6902Transformer: (list, plugin, { folder }) => applyJsonPatches(list, plugin, folder),
  ReplacementTransformer(list, plugin, { folder }) {
    for (const entry of membersIn(plugin, "replacements"))
      for (const replacement of replacementsOf(entry, folder)) applyReplacement(list, replacement);
  },
  HashTransformer: (list) => addHashes(list),
};

/** As in kustomize, plugins know no fields but those that they are given. */
const specsIn = (plugin: Members): readonly FieldSpec[] =>
  specsOf(plainValue(at(plugin, "fieldSpecs") ?? null), textAt(plugin, "kind"));

/** Without fields these would do nothing. */
const specsNeeded = (plugin: Members): readonly FieldSpec[] => {
  const given = specsIn(plugin);
  if (given.length === 0)
    throw new CtlError(`${textAt(plugin, "kind")} ${textAt(plugin, "metadata", "name")}: fieldSpecs must not be empty`);
  return given;
};

const entriesIn = (plugin: Members, field: string): Members | undefined => {
  const entries = at(plugin, field);
  return isMembers(entries) ? entries : undefined;
};

function subjectMode(text: string, folder: KustomizationFolder): SubjectMode {
  if (text === "" || text === "defaultOnly" || text === "allServiceAccounts" || text === "none") return text;
  throw new CtlError(
    `${folder.path}: invalid value "${text}" for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"`,
  );
}

/** A validator may refuse resources, and must not change them. */
export function validate(list: ResourceList, validators: readonly Step[]): void {
  for (const { run, kind } of validators) {
    const before = list.all.map((resource) => resource.copy());
    run(list);
    const isChanged =
      list.all.length !== before.length ||
      list.all.some(
        (resource, index) => !isSame(plainMembers(resource.members), plainMembers(before[index]?.members ?? {})),
      );
    if (isChanged) throw new CtlError(`validator shouldn't modify the resource map: ${kind}`);
  }
}

/** A plugin of somebody else would have to be started; of those that kustomize has built in, a few are missing. */
const refused = (plugin: Resource, { path }: KustomizationFolder): CtlError => {
  const supported = [...Object.keys(generators), ...Object.keys(transformers)].join(", ");
  const why = isBuiltIn(plugin)
    ? `not supported: of the plugins that kustomize has built in, only ${supported} are`
    : "only the plugins that kustomize has built in are supported";
  return new CtlError(`${path}: ${textAt(plugin.members, "apiVersion")} ${plugin.gvk.kind}: ${why}`);
};
