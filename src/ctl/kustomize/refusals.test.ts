import { describe, expect, test } from "vitest";
import { outcomeOf, writeTree } from "./build.suite.ts";
import { KustomizationFolder } from "./folder.ts";
import {
  aliasesMax,
  allFilesBytesMax,
  fileBytesMax,
  filesMax,
  kustomizationDepthMax,
  mergedKeysMax,
  nestingMax,
} from "./limits.ts";

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
const component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [r.yaml]\n";
const podPatch = (rest: string) => `resources: [r.yaml]\npatches:\n- ${rest}\n`;

const cases: readonly { why: string; files: Record<string, string>; says: string }[] = [
  {
    why: "a misspelt field",
    files: { "kustomization.yaml": "resourcez: []\n" },
    says: '/kustomization.yaml: invalid Kustomization: json: unknown field "resourcez": it is misspelt, or newer than kustomize 5.8',
  },
  {
    why: "a misspelt field of an entry",
    files: { "kustomization.yaml": "patches: [{pach: x}]\n" },
    says: 'unknown field "pach"',
  },
  {
    why: "a number for a text",
    files: { "kustomization.yaml": "namePrefix: 5\n" },
    says: "cannot unmarshal number into field Kustomization.namePrefix of type string",
  },
  {
    why: "a text for a list",
    files: { "kustomization.yaml": "resources: r.yaml\n" },
    says: "cannot unmarshal string into field Kustomization.resources of type []",
  },
  {
    why: "nothing in it",
    files: { "kustomization.yaml": "kind: Kustomization\n" },
    says: "kustomization.yaml is empty",
  },
  {
    why: "another kind",
    files: { "kustomization.yaml": "kind: Pod\nresources: []\n" },
    says: "kind should be Kustomization or Component",
  },
  {
    why: "another version",
    files: { "kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v2\nresources: []\n" },
    says: "apiVersion for Kustomization should be kustomize.config.k8s.io/v1beta1",
  },
  {
    why: "YAML that is none",
    files: { "kustomization.yaml": "resources: [\n" },
    says: "/kustomization.yaml: invalid Kustomization: yaml: ",
  },
  {
    why: "two files of a kustomization",
    files: { "kustomization.yaml": "resources: []\n", Kustomization: "resources: []\n" },
    says: "Found multiple kustomization files",
  },
  {
    why: "an absent file",
    files: { "kustomization.yaml": "resources: [nope.yaml]\n" },
    says: "accumulating resources from 'nope.yaml': evalsymlink failure on '/nope.yaml'",
  },
  {
    why: "a malformed resource",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": "kind: [\n" },
    says: "MalformedYAMLError: yaml: ",
  },
  {
    why: "the same key twice",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": `${pod}data: {a: 1, a: 2}\n` },
    says: "in File: /r.yaml",
  },
  {
    why: "a key that is not a text",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": `${pod}data: {3: a}\n` },
    says: "the keys of a mapping must be texts",
  },
  {
    why: "a number that JSON lacks",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": `${pod}n: .inf\n` },
    says: "/r.yaml: json: unsupported value: .inf",
  },
  {
    why: "a resource without a kind",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": "apiVersion: v1\nmetadata: {name: a}\n" },
    says: "accumulating resources from 'r.yaml': missing kind in object",
  },
  {
    why: "a resource without a name",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": "apiVersion: v1\nkind: Pod\n" },
    says: "missing metadata.name in object v1 Pod",
  },
  {
    why: "the same resource twice",
    files: { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": `${pod}---\n${pod}` },
    says: "may not add resource with an already registered id: Pod.v1.[noGrp]/a.[noNs]",
  },
  {
    why: "bases around each other",
    files: { "kustomization.yaml": "resources: [a]\n", "a/kustomization.yaml": "resources: [..]\n" },
    says: "cycle detected: candidate root '' contains visited root '/a'",
  },
  {
    why: "bases that name each other",
    files: {
      "kustomization.yaml": "resources: [a]\n",
      "a/kustomization.yaml": "resources: [../b]\n",
      "b/kustomization.yaml": "resources: [../a]\n",
    },
    says: "cycle detected: candidate root '/a'",
  },
  {
    why: "a component among resources",
    files: { "kustomization.yaml": "resources: [c]\n", "c/kustomization.yaml": component, "c/r.yaml": pod },
    says: "expected kind != 'Component' for path '/c'",
  },
  {
    why: "a kustomization among components",
    files: {
      "kustomization.yaml": "components: [c]\n",
      "c/kustomization.yaml": "resources: [r.yaml]\n",
      "c/r.yaml": pod,
    },
    says: "expected kind 'Component' for path '/c' but got 'Kustomization'",
  },
  {
    why: "a component that gives two resources one name",
    files: {
      "kustomization.yaml": "resources: [r.yaml]\ncomponents: [c]\n",
      "r.yaml": `${pod}---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n`,
      "c/kustomization.yaml": `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {name: b}, patch: '[{"op": "replace", "path": "/metadata/name", "value": "a"}]'}]\n`,
    },
    says: "may not add resource with an already registered id: Pod.v1.[noGrp]/a.[noNs]",
  },
  {
    why: "patches that give two resources one name",
    files: {
      "kustomization.yaml": `resources: [r.yaml]\npatches: [{target: {name: b}, patch: '[{"op": "replace", "path": "/metadata/name", "value": "a"}]'}]\n`,
      "r.yaml": `${pod}---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n`,
    },
    says: "may not add resource with an already registered id: Pod.v1.[noGrp]/a.[noNs]",
  },
  {
    why: "a file outside its folder",
    files: {
      "kustomization.yaml": "resources: [a]\n",
      "a/kustomization.yaml": "resources: [../r.yaml]\n",
      "r.yaml": pod,
    },
    says: "security; file '/r.yaml' is not in or below '/a'",
  },
  {
    why: "helm charts",
    files: { "kustomization.yaml": "helmCharts: [{name: x}]\n" },
    says: 'helmCharts: charts of helm are not inflated here; render the chart with "helm template"',
  },
  {
    why: "a remote resource",
    files: { "kustomization.yaml": "resources: ['https://example.com/x.yaml']\n" },
    says: "https://example.com/x.yaml: remote resources are not supported; download them first",
  },
  {
    why: "a remote base",
    files: { "kustomization.yaml": "resources: ['github.com/a/b//c?ref=v1']\n" },
    says: "remote resources are not supported",
  },
  {
    why: "a patch whose target does not exist",
    files: {
      "kustomization.yaml": podPatch("patch: '{apiVersion: v1, kind: Pod, metadata: {name: zz}}'"),
      "r.yaml": pod,
    },
    says: 'no resource matches strategic merge patch "Pod.v1.[noGrp]/zz.[noNs]"',
  },
  {
    why: "a JSON patch without a target",
    files: { "kustomization.yaml": podPatch("patch: '- {op: add, path: /x, value: 1}'"), "r.yaml": pod },
    says: "must specify a target for JSON patch",
  },
  {
    why: "a patch that is none",
    files: { "kustomization.yaml": podPatch("{patch: garbage, target: {kind: Pod}}"), "r.yaml": pod },
    says: "unable to parse SM or JSON patch from",
  },
  {
    why: "a patch that replaces what is missing",
    files: {
      "kustomization.yaml": podPatch("{target: {kind: Pod}, patch: '- {op: replace, path: /spec, value: 1}'}"),
      "r.yaml": pod,
    },
    says: "replace operation does not apply: doc is missing key: /spec: missing value",
  },
  {
    why: "a patch of another type",
    files: { "kustomization.yaml": podPatch("patch: '{apiVersion: v1, kind: Pod, metadata: [a]}'"), "r.yaml": pod },
    says: "unable to parse SM or JSON patch",
  },
  {
    why: "a pattern that is none",
    files: {
      "kustomization.yaml": podPatch(
        "{target: {name: 'b('}, patch: '{apiVersion: v1, kind: Pod, metadata: {name: a}}'}",
      ),
      "r.yaml": pod,
    },
    says: "error parsing regexp",
  },
  {
    why: "a replacement without a source",
    files: {
      "kustomization.yaml":
        "resources: [r.yaml]\nreplacements: [{source: {kind: Foo}, targets: [{select: {kind: Pod}}]}]\n",
      "r.yaml": pod,
    },
    says: "nothing selected by Foo.[noVer].[noGrp]/[noName].[noNs]:metadata.name",
  },
  {
    why: "a replacement of a missing field",
    files: {
      "kustomization.yaml":
        "resources: [r.yaml]\nreplacements: [{source: {kind: Pod}, targets: [{select: {kind: Pod}, fieldPaths: [spec.x]}]}]\n",
      "r.yaml": pod,
    },
    says: 'unable to find field "spec.x" in replacement target',
  },
  {
    why: "a replacement of a number with a text",
    files: {
      "kustomization.yaml":
        "resources: [r.yaml]\nreplacements: [{source: {kind: Pod}, targets: [{select: {kind: Pod}, fieldPaths: [count]}]}]\n",
      "r.yaml": `${pod}count: 5\n`,
    },
    says: "yaml: `a` does not have the type of the field it was copied to",
  },
  {
    why: "an unknown order",
    files: { "kustomization.yaml": "resources: [r.yaml]\nsortOptions: {order: x}\n", "r.yaml": pod },
    says: "the field 'sortOptions.order' must be one of [fifo, legacy]",
  },
  {
    why: "replicas of a resource that does not exist",
    files: { "kustomization.yaml": "resources: [r.yaml]\nreplicas: [{name: zz, count: 1}]\n", "r.yaml": pod },
    says: "resource with name zz does not match a config",
  },
  {
    why: "a generator that merges nothing",
    files: { "kustomization.yaml": "configMapGenerator: [{name: a, behavior: merge}]\n" },
    says: "id ConfigMap.v1.[noGrp]/a.[noNs] does not exist; cannot merge or replace",
  },
  {
    why: "a resource whose kind a patch has removed",
    files: {
      "kustomization.yaml":
        "resources: [r.yaml]\npatches: [{target: {kind: Pod}, patch: '- {op: remove, path: /kind}'}]\n",
      "r.yaml": pod,
    },
    says: "missing kind in object v1 a",
  },
  {
    why: "a resource whose name a patch has removed",
    files: {
      "kustomization.yaml":
        "resources: [r.yaml]\npatches: [{target: {kind: Pod}, patch: '- {op: remove, path: /metadata/name}'}]\n",
      "r.yaml": pod,
    },
    says: "missing metadata.name in object v1 Pod",
  },
  {
    why: "a literal without a value",
    files: { "kustomization.yaml": "configMapGenerator: [{name: a, literals: [x]}]\n" },
    says: "invalid literal source x, expected key=value",
  },
  {
    why: "the same key of a generator twice",
    files: { "kustomization.yaml": "configMapGenerator: [{name: a, literals: [x=1, x=2]}]\n" },
    says: "configmap a illegally repeats the key `x`",
  },
  {
    why: "a variable of nobody",
    files: {
      "kustomization.yaml": "resources: [r.yaml]\nvars: [{name: V, objref: {kind: Foo, name: f}}]\n",
      "r.yaml": pod,
    },
    says: "cannot be mapped to a field in the set of known resources",
  },
  {
    why: "a validator that changes something",
    files: {
      "kustomization.yaml": "resources: [r.yaml]\nvalidators: [v.yaml]\n",
      "r.yaml": pod,
      "v.yaml":
        "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: v}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
    },
    says: "validator shouldn't modify the resource map",
  },
  {
    why: "a plugin of somebody else",
    files: {
      "kustomization.yaml": "resources: [r.yaml]\ntransformers: [v.yaml]\n",
      "r.yaml": pod,
      "v.yaml": "apiVersion: example.com/v1\nkind: Own\nmetadata: {name: v}\n",
    },
    says: "example.com/v1 Own: only the plugins that kustomize has built in are supported",
  },
  {
    why: "the ValueAddTransformer",
    files: {
      "kustomization.yaml": "resources: [r.yaml]\ntransformers: [v.yaml]\n",
      "r.yaml": pod,
      "v.yaml": "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {name: v}\nvalue: x\n",
    },
    says: "builtin ValueAddTransformer: not supported: of the plugins that kustomize has built in, only ",
  },
  {
    why: "a configuration with an unknown field",
    files: {
      "kustomization.yaml": "resources: [r.yaml]\nconfigurations: [c.yaml]\n",
      "r.yaml": pod,
      "c.yaml": "nope: []\n",
    },
    says: '/c.yaml: invalid TransformerConfig: json: unknown field "nope"',
  },
  {
    why: "OpenAPI of another release",
    files: { "kustomization.yaml": "resources: [r.yaml]\nopenapi: {version: v1.20.4}\n", "r.yaml": pod },
    says: "the specified OpenAPI version is not built in: v1.20.4",
  },
];

describe("a kustomization is refused for", () => {
  for (const { why, files, says } of cases)
    test(why, async () => {
      const { refusal } = await outcomeOf(Object.entries(files));
      expect(refusal).toContain(says);
    });
});

describe("a build has limits:", () => {
  test("the size of a file", async () => {
    const files = { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": `${pod}x: ${"y".repeat(fileBytesMax)}\n` };
    expect((await outcomeOf(Object.entries(files))).refusal).toContain(`/r.yaml has more than ${fileBytesMax} bytes`);
  });
  test("the number of files", async () => {
    const literals = Array.from({ length: filesMax + 1 }, (_, at) => `k${at}=r.yaml`);
    const spec = { configMapGenerator: [{ name: "a", files: literals }] };
    const files = { "kustomization.yaml": JSON.stringify(spec), "r.yaml": pod };
    expect((await outcomeOf(Object.entries(files))).refusal).toContain(`a build reads at most ${filesMax} files`);
  });
  test("the size of all files together", () => {
    const tree = writeTree([["large.txt", "y".repeat(fileBytesMax)]]);
    try {
      const folder = new KustomizationFolder(tree.folder, "LoadRestrictionsRootOnly");
      for (let bytes = fileBytesMax; bytes <= allFilesBytesMax; bytes += fileBytesMax) folder.read("large.txt");
      expect(() => folder.read("large.txt")).toThrow(`a build reads at most ${allFilesBytesMax} bytes`);
    } finally {
      tree.remove();
    }
  });
  test("the depth of kustomizations", async () => {
    const files = new Map<string, string>();
    const folder = (depth: number) => (depth === 0 ? "" : `f${depth}/`);
    for (let depth = 0; depth <= kustomizationDepthMax + 1; depth++)
      files.set(`${folder(depth)}kustomization.yaml`, `resources: [${depth === 0 ? "" : "../"}f${depth + 1}]\n`);
    expect((await outcomeOf(files)).refusal).toContain(
      `kustomizations are nested deeper than ${kustomizationDepthMax}`,
    );
  });
  test("the depth of a document", async () => {
    const files = {
      "kustomization.yaml": "resources: [r.yaml]\n",
      "r.yaml": `${pod}x: ${"[".repeat(nestingMax + 1)}${"]".repeat(nestingMax + 1)}\n`,
    };
    expect((await outcomeOf(Object.entries(files))).refusal).toContain("in File: /r.yaml");
  });
  test("the keys that merges bring in", async () => {
    const keys = 1_000;
    const merged = (times: number) => ({
      "kustomization.yaml": "resources: [r.yaml]\n",
      "r.yaml": `${pod}base: &a {${Array.from({ length: keys }, (_, at) => `k${at}: 1`).join(", ")}}\nlist:\n${"- <<: *a\n".repeat(times)}`,
    });
    const allowed = mergedKeysMax / keys - 1; // each merge counts as one more
    expect((await outcomeOf(Object.entries(merged(allowed)))).refusal).toBeUndefined();
    expect((await outcomeOf(Object.entries(merged(allowed + 2)))).refusal).toContain(
      `merge keys exceeded maxTotalMergeKeys (${mergedKeysMax})`,
    );
  });
  test("the uses and the size of anchors", async () => {
    const uses = Array.from({ length: aliasesMax + 1 }, () => "*a").join(", ");
    const many = { "kustomization.yaml": "resources: [r.yaml]\n", "r.yaml": `${pod}x: &a 1\ny: [${uses}]\n` };
    expect((await outcomeOf(Object.entries(many))).refusal).toContain("in File: /r.yaml");
    const lines = Array.from(
      { length: 9 },
      (_, at) => `b${at + 1}: &b${at + 1} [${Array(9).fill(`*b${at}`).join(", ")}]`,
    );
    const huge = {
      "kustomization.yaml": "resources: [r.yaml]\n",
      "r.yaml": `${pod}b0: &b0 [1]\n${lines.join("\n")}\n`,
    };
    expect((await outcomeOf(Object.entries(huge))).refusal).toMatch(/^accumulating.*r\.yaml has more than \d+ values$/);
  });
});

test("warnings of deprecated fields are not part of the output", async () => {
  const tree = writeTree(
    Object.entries({ "kustomization.yaml": "bases: []\nresources: [r.yaml]\nvars: []\n", "r.yaml": pod }),
  );
  const { out, warnings } = await tree.build();
  tree.remove();
  expect(out).toBe("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n");
  expect(warnings).toContain("# Warning: 'bases' is deprecated. Please use 'resources' instead.");
  expect(warnings).toContain("# Warning: 'vars' is deprecated. Please use 'replacements' instead.");
});
