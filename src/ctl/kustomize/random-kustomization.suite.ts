/** Random trees of kustomizations, for comparisons with kustomize: files by path, the same ones for the same seed. */

import { Dice, names } from "./dice.suite.ts";
import { type MadeResource, randomResource } from "./random-resource.suite.ts";

export type Files = Map<string, string>;

const images = ["nginx", "nginx:1.2", "images.example:5000/app:v1", "busybox@sha256:abc"];

export function randomKustomization(seed: number): Files {
  const dice = new Dice(seed);
  const files: Files = new Map();
  writeFolder(dice, { files, known: [] }, "", 0);
  return files;
}

interface Tree {
  readonly files: Files;
  /** Resources of all folders so far. */
  readonly known: MadeResource[];
}

/** Nearly always one that no folder has yet: kustomize refuses the same one twice. */
function newResource(dice: Dice, { known }: Tree): MadeResource {
  for (let attempts = 0; ; attempts++) {
    const made = randomResource(dice);
    const isNew = !known.some(({ kind, name }) => kind === made.kind && name === made.name);
    if (!isNew && attempts < 50 && !dice.chance(0.01)) continue;
    known.push(made);
    return made;
  }
}

/** The name of a resource of the kind, if there is one. */
function nameOf(dice: Dice, known: readonly MadeResource[], kind: string): string {
  const found = known.filter((made) => made.kind === kind);
  return found.length === 0 || dice.chance(0.02) ? dice.pick(names) : dice.pick(found).name;
}

type Spec = Record<string, unknown>;

/** Returns the resources of the folder and its bases. */
function writeFolder(dice: Dice, tree: Tree, folder: string, depth: number, isComponent = false): MadeResource[] {
  const own: MadeResource[] = [];
  const spec: Spec = isComponent ? { apiVersion: "kustomize.config.k8s.io/v1alpha1", kind: "Component" } : {};
  const resources: string[] = [];
  const file = (name: string, content: unknown) => {
    tree.files.set(`${folder}${name}`, typeof content === "string" ? content : `${JSON.stringify(content)}\n`);
    return name;
  };
  for (let at = isComponent && dice.chance(0.6) ? 1 : 0; at < 1 + dice.below(2); at++) {
    const documents = Array.from({ length: 1 + dice.below(4) }, () => newResource(dice, tree));
    own.push(...documents);
    resources.push(file(`r${at}.yaml`, documents.map(({ text }) => text).join("---\n")));
  }
  if (depth < 2 && !isComponent)
    for (let at = 0; at < dice.below(3); at++) {
      own.push(...writeFolder(dice, tree, `${folder}base${at}/`, depth + 1));
      resources.push(`base${at}`);
    }
  if (resources.length > 0) spec["resources"] = resources;
  if (depth < 2 && dice.chance(0.2)) {
    own.push(...writeFolder(dice, tree, `${folder}part/`, depth + 1, true));
    spec["components"] = ["part"];
  }
  if (dice.chance(0.25)) spec["namePrefix"] = dice.pick(["p-", "q-"]);
  if (dice.chance(0.2)) spec["nameSuffix"] = dice.pick(["-s", "-t"]);
  if (dice.chance(0.25)) spec["namespace"] = dice.pick(["shop", "default"]);
  if (dice.chance(0.2)) spec["commonLabels"] = { app: dice.pick(names) };
  if (dice.chance(0.2)) spec["commonAnnotations"] = { note: dice.pick(["yes", "1.10", "a: b", ""]) };
  if (dice.chance(0.3)) spec["labels"] = Array.from({ length: 1 + dice.below(2) }, () => label(dice));
  if (dice.chance(0.3)) spec["images"] = Array.from({ length: 1 + dice.below(2) }, () => image(dice));
  const scaled = own.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
  if (scaled.length > 0 && dice.chance(0.2))
    spec["replicas"] = [{ name: dice.pick(scaled).name, count: dice.below(4) }];
  if (dice.chance(0.35))
    spec["patches"] = Array.from({ length: 1 + dice.below(2) }, (_, at) => patch(dice, own, file, at));
  if (dice.chance(0.3)) generators(dice, own, spec, file);
  if (dice.chance(0.25)) spec["replacements"] = [replacement(dice, own)];
  if (dice.chance(0.1)) spec["vars"] = [variable(dice, own, `V${depth}${folder.length}`)];
  if (depth === 0 && dice.chance(0.2)) spec["sortOptions"] = sortOptions(dice);
  if (depth === 0 && dice.chance(0.15))
    spec["buildMetadata"] = dice.some(["originAnnotations", "transformerAnnotations"], 0.7);
  if (dice.chance(0.1)) spec["configurations"] = [file("fields.yaml", configuration(dice))];
  if (dice.chance(0.1)) spec["transformers"] = [file("steps.yaml", plugin(dice))];
  file("kustomization.yaml", spec);
  return own;
}

function label(dice: Dice): Spec {
  return {
    pairs: Object.fromEntries(dice.some(["app", "tier", "v"], 0.5).map((key) => [key, dice.pick(["x", "1", "true"])])),
    ...(dice.chance(0.4) ? { includeSelectors: dice.chance(0.7) } : {}),
    ...(dice.chance(0.3) ? { includeTemplates: true } : {}),
    ...(dice.chance(0.2) ? { fields: [{ path: "spec/extra", create: dice.chance(0.5), kind: "Foo" }] } : {}),
  };
}

function image(dice: Dice): Spec {
  return {
    name: dice.pick(["nginx", "images.example:5000/app", "busybox", "ngin."]),
    ...(dice.chance(0.4) ? { newName: dice.pick(["other", "images.example/other"]) } : {}),
    ...(dice.chance(0.5) ? { newTag: dice.pick(["2.0", "latest"]) } : {}),
    ...(dice.chance(0.2) ? { digest: "sha256:def" } : {}),
    ...(dice.chance(0.1) ? { tagSuffix: "-dev" } : {}),
  };
}

const patched: readonly (readonly [string, string])[] = [
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["v1", "Service"],
  ["v1", "ConfigMap"],
  ["v1", "Pod"],
  ["example.com/v1", "Foo"],
];

function patch(
  dice: Dice,
  own: readonly MadeResource[],
  file: (name: string, content: unknown) => string,
  at: number,
): Spec {
  const [apiVersion, kind] = pickKind(dice, own);
  const target = {
    kind: dice.chance(0.7) ? kind : dice.pick([".*", "De.*|Pod", "Foo"]),
    ...(dice.chance(0.4) ? { name: dice.pick([...names, "a|b", "w.*"]) } : {}),
    ...(dice.chance(0.2) ? { labelSelector: dice.pick(["app=a", "tier", "!v", "app in (a,web)"]) } : {}),
    ...(dice.chance(0.1) ? { namespace: dice.pick(["shop", "default"]) } : {}),
  };
  if (dice.chance(0.3)) {
    const operations = [
      { op: "add", path: "/metadata/labels", value: { patched: "yes" } },
      { op: "replace", path: "/metadata/name", value: dice.pick(["a", "renamed"]) },
      { op: "add", path: "/spec", value: { n: dice.pick([1, 1.5, 1e6, null, "x"]), l: [1, { a: null }] } },
      { op: dice.pick(["remove", "test", "replace"]), path: dice.pick(["/spec/replicas", "/data", "/kind"]), value: 3 },
    ];
    const chosen = dice.some(operations, 0.4);
    return { target, patch: JSON.stringify(chosen.length === 0 ? operations.slice(0, 1) : chosen) };
  }
  const content = {
    apiVersion,
    kind,
    metadata: { name: nameOf(dice, own, kind), ...patchMetadata(dice) },
    ...patchBody(dice, kind),
  };
  return {
    ...(dice.chance(0.6) ? { target } : {}),
    ...(dice.chance(0.2) ? { options: { allowNameChange: dice.chance(0.5), allowKindChange: dice.chance(0.3) } } : {}),
    ...(dice.chance(0.3) ? { path: file(`p${at}.yaml`, content) } : { patch: JSON.stringify(content) }),
  };
}

/** A kind that there is, if possible. */
function pickKind(dice: Dice, own: readonly MadeResource[]): readonly [apiVersion: string, kind: string] {
  const there = patched.filter(([, kind]) => own.some((made) => made.kind === kind));
  return dice.pick(there.length === 0 || dice.chance(0.02) ? patched : there);
}

function patchMetadata(dice: Dice): Spec {
  return {
    ...(dice.chance(0.3)
      ? { labels: dice.pick<unknown>([{ patched: "1" }, null, { $patch: "replace", only: "x" }]) }
      : {}),
    ...(dice.chance(0.2) ? { annotations: { note: dice.pick([null, "p"]) } } : {}),
    ...(dice.chance(0.1) ? { finalizers: [dice.pick(["x/y", "z/w"])] } : {}),
  };
}

function patchBody(dice: Dice, kind: string): Spec {
  if (dice.chance(0.08)) return { $patch: "delete" };
  const container = () => ({
    name: dice.pick(["c", "d", "side"]),
    ...(dice.chance(0.4) ? { image: dice.pick(images) } : {}),
    ...(dice.chance(0.3) ? { env: [{ name: dice.pick(["A", "B"]), value: dice.pick(["x", null]) }] } : {}),
    ...(dice.chance(0.2) ? { args: ["p"] } : {}),
    ...(dice.chance(0.3)
      ? { ports: [{ containerPort: dice.pick([80, 81]), ...(dice.chance(0.6) ? { protocol: "TCP" } : {}), name: "n" }] }
      : {}),
    ...(dice.chance(0.1) ? { $patch: dice.pick(["delete", "replace", "merge"]) } : {}),
  });
  const pod = {
    containers: Array.from({ length: 1 + dice.below(2) }, container),
    ...(dice.chance(0.2) ? { volumes: [{ name: dice.pick(["v", "w"]), emptyDir: {} }] } : {}),
    ...(dice.chance(0.1) ? { tolerations: [{ key: "t" }] } : {}),
  };
  if (kind === "Deployment" || kind === "StatefulSet")
    return { spec: { replicas: dice.pick([null, 2, 3]), template: { spec: pod } } };
  if (kind === "Pod") return { spec: pod };
  if (kind === "Service")
    return {
      spec: {
        ports: [{ port: dice.pick([80, 443]), targetPort: 8080, ...(dice.chance(0.5) ? { protocol: "TCP" } : {}) }],
      },
    };
  if (kind === "ConfigMap") return { data: { a: dice.pick([null, "patched"]), new: "n" } };
  return {
    spec: { items: [{ name: "z" }], extra: dice.pick<unknown>([null, { k: null, l: 1 }, { $patch: "delete" }]) },
  };
}

/** One that exists already must be merged or replaced. */
function generated(dice: Dice, own: MadeResource[], kind: string): Spec {
  const name = dice.pick(names);
  if (own.some((made) => made.kind === kind && made.name === name))
    return { name, behavior: dice.pick(dice.chance(0.05) ? ["create"] : ["merge", "replace"]) };
  own.push({ text: "", apiVersion: "v1", kind, name });
  return { name, ...(dice.chance(0.03) ? { behavior: "merge" } : {}) };
}

function generators(
  dice: Dice,
  own: MadeResource[],
  spec: Spec,
  file: (name: string, content: unknown) => string,
): void {
  const one = (kind: string): Spec => ({
    ...generated(dice, own, kind),
    ...(dice.chance(0.8) ? { literals: dice.some(["k=v", "q='a b'", "n=1", "e="], 0.5) } : {}),
    ...(dice.chance(0.2) ? { files: [file("data.txt", "line one\nline two\n")] } : {}),
    ...(dice.chance(0.2) ? { envs: [file("data.env", "# note\nENV=x\nOTHER = y z\n\nBARE\n")] } : {}),
    ...(dice.chance(0.3)
      ? { options: { disableNameSuffixHash: dice.chance(0.4), labels: { gen: "1" }, immutable: dice.chance(0.3) } }
      : {}),
  });
  if (dice.chance(0.8)) spec["configMapGenerator"] = [one("ConfigMap")];
  if (dice.chance(0.4)) spec["secretGenerator"] = [{ ...one("Secret"), ...(dice.chance(0.3) ? { type: "a/b" } : {}) }];
  if (dice.chance(0.2))
    spec["generatorOptions"] = { annotations: { all: "x" }, disableNameSuffixHash: dice.chance(0.3) };
}

const sourcePaths: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["data.a", "data", "metadata.name"],
  Service: ["spec.ports.0.port", "spec.ports.[port=80]", "metadata.name", "spec.ports.0.targetPort"],
  Deployment: ["spec.template.spec.containers.0.image", "metadata.name"],
};
const targetPaths: Readonly<Record<string, readonly string[]>> = {
  Deployment: [
    "spec.template.spec.containers.[name=c].image",
    "spec.template.spec.containers.*.image",
    "spec.template.spec.containers.0.new",
    "spec.replicas",
  ],
  Foo: ["spec.extra.k", "spec.ref", "spec.items.0.v"],
  ConfigMap: ["data.a", "data.new"],
};

function replacement(dice: Dice, own: readonly MadeResource[]): Spec {
  const has = (kind: string) => own.some((made) => made.kind === kind) || dice.chance(0.02);
  const sources = Object.keys(sourcePaths).filter(has);
  const source = dice.pick(sources.length === 0 ? ["ConfigMap"] : sources);
  const targets = Object.keys(targetPaths).filter(has);
  const target = dice.pick(targets.length === 0 ? ["Foo"] : targets);
  const common = ["metadata.annotations.copied", "metadata.labels.app\\.io/x"];
  return {
    source: {
      kind: source,
      name: nameOf(dice, own, source),
      ...(dice.chance(0.7) ? { fieldPath: dice.pick(sourcePaths[source] ?? []) } : {}),
      ...(dice.chance(0.15) ? { options: { delimiter: ".", index: dice.below(2) } } : {}),
    },
    targets: [
      {
        select: { kind: target, ...(dice.chance(0.3) ? { name: dice.pick(names) } : {}) },
        ...(dice.chance(0.2) ? { reject: [{ name: dice.pick(names) }] } : {}),
        fieldPaths: [dice.pick([...common, ...(targetPaths[target] ?? [])])],
        ...(dice.chance(0.8)
          ? {
              options: {
                create: dice.chance(0.9),
                ...(dice.chance(0.2) ? { delimiter: "/", index: dice.below(3) - 1 } : {}),
              },
            }
          : {}),
      },
    ],
  };
}

function variable(dice: Dice, own: readonly MadeResource[], name: string): Spec {
  const [apiVersion, kind] = pickKind(dice, own);
  return {
    name,
    objref: { apiVersion, kind, name: nameOf(dice, own, kind) },
    ...(dice.chance(0.3)
      ? { fieldref: { fieldpath: dice.pick(["metadata.name", "spec.replicas", "metadata.labels.app"]) } }
      : {}),
  };
}

function sortOptions(dice: Dice): Spec {
  if (dice.chance(0.4)) return { order: "fifo" };
  if (dice.chance(0.4)) return { order: "legacy" };
  return {
    order: "legacy",
    legacySortOptions: { orderFirst: ["Service", "Foo"], orderLast: dice.some(["Pod", "ConfigMap"], 0.6) },
  };
}

function configuration(dice: Dice): Spec {
  return {
    nameReference: [{ kind: dice.pick(["ConfigMap", "Foo"]), fieldSpecs: [{ path: "spec/ref", kind: "Foo" }] }],
    ...(dice.chance(0.5) ? { commonLabels: [{ path: "spec/selectors", kind: "Foo", create: true }] } : {}),
    ...(dice.chance(0.3) ? { images: [{ path: "spec/picture", kind: "Foo" }] } : {}),
  };
}

function plugin(dice: Dice): Spec {
  const head = (kind: string): Spec => ({ apiVersion: "builtin", kind, metadata: { name: "step" } });
  return dice.pick<Spec>([
    { ...head("PrefixTransformer"), prefix: "z-", fieldSpecs: [{ path: "metadata/name" }] },
    { ...head("LabelTransformer"), labels: { l: "m" }, fieldSpecs: [{ path: "metadata/labels", create: true }] },
    {
      ...head("AnnotationsTransformer"),
      annotations: { l: "m" },
      fieldSpecs: [{ path: "metadata/annotations", create: true }],
    },
    { ...head("ImageTagTransformer"), imageTag: { name: "nginx", newTag: "7" } },
    { ...head("NamespaceTransformer"), metadata: { name: "step", namespace: "plug" } },
  ]);
}
