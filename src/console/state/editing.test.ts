import { describe, expect, test } from "vitest";
import type { DiscoveredResource } from "../../client/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { orch } from "../../vocabulary/orch.ts";
import { Schemas } from "../server/schemas.ts";
import { completionAt, type Described, documentationAt } from "./completion.ts";
import { documentsIn } from "./documents.ts";
import { mergedText, mergeTexts } from "./merge.ts";
import { schemaProblems, serverProblems } from "./problems.ts";
import { sampleOf } from "./sample.ts";
import { yamlLines } from "./yaml-lines.ts";

const text = { type: "string" };
const definitions = {
  pod: {
    type: "object",
    "x-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { type: "object", properties: { name: text, labels: { additionalProperties: text } } },
      spec: { $ref: "#/definitions/spec", description: "What is wanted." },
      status: { type: "object" },
    },
  },
  spec: {
    type: "object",
    required: ["containers"],
    properties: {
      containers: { type: "array", items: { $ref: "#/definitions/container" }, description: "What runs." },
      hostNetwork: { type: "boolean" },
      restartPolicy: { ...text, enum: ["Always", "Never", "OnFailure"] },
      replicas: { type: "integer", minimum: 1 },
    },
  },
  container: {
    type: "object",
    required: ["name"],
    properties: { name: { ...text, description: "A name." }, image: text, args: { type: "array", items: text } },
  },
};
const schemas = new Schemas(definitions);
const resource: DiscoveredResource = {
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  namespaced: true,
  singularName: "pod",
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [],
};
/** No body is written by hand for it. */
const unknown: DiscoveredResource = { ...resource, resource: "things" };
const described: Described = {
  schemas,
  schemaOf: ({ kind }) => (kind === "Pod" ? schemas.of(resource) : undefined),
  kinds: [
    { apiVersion: "v1", kind: "Pod" },
    { apiVersion: "apps/v1", kind: "Deployment" },
  ],
};
const head = "apiVersion: v1\nkind: Pod\n";

describe("completion", () => {
  /** `|` is the cursor. */
  const complete = (marked: string) => {
    const at = marked.indexOf("|");
    const given = marked.replace("|", "");
    const completion = completionAt(given, at, described);
    const first = completion?.suggestions[0];
    return {
      labels: completion?.suggestions.map(({ label }) => label) ?? [],
      after:
        completion === undefined || first === undefined
          ? given
          : given.slice(0, completion.from) + first.text + given.slice(completion.to),
    };
  };

  test.each([
    ["a field of the object, and not those that are there", "|", ["metadata", "spec", "status"]],
    [
      "a field of an object below, the required ones first",
      "spec:\n  |",
      ["containers", "hostNetwork", "replicas", "restartPolicy"],
    ],
    ["what begins with a word, then what has it", "spec:\n  re|", ["replicas", "restartPolicy"]],
    ["a field of an item", "spec:\n  containers:\n  - name: a\n    |", ["args", "image"]],
    ["the first field of an item", "spec:\n  containers:\n  - |", ["name", "args", "image"]],
    ["the item of a list", "spec:\n  containers:\n    |", ["name", "args", "image"]],
    ["a value of a list of values", "spec:\n  restartPolicy: |", ["Always", "Never", "OnFailure"]],
    ["a value by its beginning", "spec:\n  restartPolicy: Ne|", ["Never"]],
    ["true or false", "spec:\n  hostNetwork: |", ["false", "true"]],
    ["nothing inside of a text", "spec:\n  restartPolicy: >\n    Al|", []],
    ["nothing that the schema does not know", "spec:\n  other:\n    |", []],
    ["nothing before other words", "spec:\n  re|st: a", []],
  ])("suggests %s", (_what, marked, labels) => {
    expect(complete(`${head}${marked}`).labels).toEqual(labels);
  });

  test("of a kind and a version comes from discovery", () => {
    expect(complete("apiVersion: apps/v1\nkind: |").labels).toEqual(["Deployment"]);
    expect(complete("apiVersion: ap|").labels).toEqual(["apps/v1"]);
    expect(complete("k|").after).toBe("kind: ");
  });

  test("replaces the word, and goes on where the next one is typed", () => {
    expect(complete(`${head}spec:\n  con|`).after).toBe(`${head}spec:\n  containers:\n  - `);
    expect(complete(`${head}me|`).after).toBe(`${head}metadata:\n  `);
    expect(complete(`${head}spec:\n  restartPolicy:|`).after).toBe(`${head}spec:\n  restartPolicy: Always`);
    expect(complete(`${head}spec:\n  containers:\n    na|`).after).toBe(`${head}spec:\n  containers:\n    - name: `);
  });

  test("is of the document that the cursor is in", () => {
    expect(complete(`kind: Other\n---\n${head}spec:\n  host|`).labels).toEqual(["hostNetwork"]);
    expect(complete(`${head}---\nkind: Other\nspec:\n  host|`).labels).toEqual([]);
  });

  test("the documentation of a line is that of its field", () => {
    const lines = yamlLines(`${head}spec:\n  containers:\n  - name: a`);
    const path = lines[4]?.path ?? [];
    const found = documentationAt(documentsIn("", lines), { number: 4, path }, described);
    expect(found?.field).toMatchObject({ name: "name", description: "A name.", isRequired: true });
  });
});

describe("problems", () => {
  const problemsOf = (given: string) =>
    documentsIn(given).flatMap((document) => schemaProblems(document, schemas, schemas.of(resource) ?? {}));

  test("are at their lines", () => {
    const given = `${head}metadata: {name: a}\nspec:\n  nodes: 1\n  hostNetwork: maybe\n  replicas: many\n  containers:\n  - image: x\n`;
    expect(problemsOf(given)).toEqual([
      { line: 4, message: 'unknown field "nodes"' },
      { line: 5, message: "must be true or false" },
      { line: 6, message: "must be a whole number" },
      { line: 8, message: 'missing required field "name"' },
    ]);
  });

  test("are not in maps, flow style, nulls and comments", () => {
    const given = `${head}metadata:\n  labels:\n    any: x\nspec:\n  replicas: 3 # three\n  hostNetwork: null\n  containers: [{name: a}]\n`;
    expect(problemsOf(given)).toEqual([]);
  });

  test("of a server are at the fields that it names", () => {
    const [, document] = documentsIn(`kind: Other\n---\n${head}spec:\n  containers:\n  - name: A\n`);
    if (document === undefined) throw new Error("there are two");
    const causes = [
      { field: "spec.containers[0].name", message: "Invalid value" },
      { field: "spec.containers[0].image", message: "Required value" },
    ];
    const error = new StatusError("Invalid", "Pod is invalid", { details: { causes } });
    expect(serverProblems(document, error)).toEqual([
      { line: 6, message: "Invalid value" },
      { line: 6, message: "spec.containers[0].image: Required value" },
    ]);
    expect(serverProblems(document, new Error("yaml: line 3: mapping values"))).toEqual([
      { line: 4, message: "yaml: line 3: mapping values" },
    ]);
    const decoding = "cannot be handled as a Pod: spec.containers[0].name: must be a string";
    expect(serverProblems(document, new Error(decoding))).toEqual([{ line: 6, message: decoding }]);
    expect(serverProblems(document, new Error("no"))).toEqual([{ line: undefined, message: "no" }]);
  });
});

describe("a text with several documents", () => {
  test("names each object, also in JSON", () => {
    const given = `# first\n---\n${head}metadata:\n  name: "a"\n---\n\n---\n{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"n"}}\n`;
    const shown = documentsIn(given).map(({ kind, name, namespace, from }) => ({ kind, name, namespace, from }));
    expect(shown).toEqual([
      { kind: "Pod", name: "a", namespace: "", from: 2 },
      { kind: "Pod", name: "b", namespace: "n", from: 9 },
    ]);
  });
});

describe("a sample", () => {
  test("has what is required, and the rest as comments", () => {
    expect(sampleOf(unknown, { namespace: "shop", vocabulary: orch, schemas })).toBe(`apiVersion: v1
kind: Pod
metadata:
  name: example
  namespace: shop
spec:
  containers:
  - name: ""
    # image: string
    # args: []string
  # hostNetwork: boolean
  # restartPolicy: Always | Never | OnFailure
  # replicas: integer
`);
    expect(sampleOf(unknown, { namespace: "", vocabulary: orch, schemas: undefined })).toContain(
      "  namespace: default\n",
    );
  });
});

describe("a merge", () => {
  const base = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n";
  const merge = (mine: string, theirs: string) => mergeTexts(base, mine, theirs);
  const conflicts = (mine: string, theirs: string) => merge(mine, theirs).filter(({ isConflict }) => isConflict);

  test("takes the changes of both where they are apart", () => {
    const merged = merge("a: 1\nb: 20\nc: 3\nd: 4\ne: 5\n", "a: 1\nb: 2\nc: 3\ne: 50\nf: 6\n");
    expect(mergedText(merged, [])).toBe("a: 1\nb: 20\nc: 3\ne: 50\nf: 6\n");
  });

  test("asks where both have changed the same lines, in each way", () => {
    const [mine, theirs] = ["a: 1\nb: 20\nc: 3\nd: 4\ne: 5\n", "a: 1\nb: 21\nx: 0\nc: 3\nd: 4\ne: 5\n"];
    expect(conflicts(mine, theirs)).toEqual([{ isConflict: true, mine: ["b: 20"], theirs: ["b: 21", "x: 0"] }]);
    expect(mergedText(merge(mine, theirs), [true])).toBe(mine);
    expect(mergedText(merge(mine, theirs), [false])).toBe(theirs);
  });

  test("asks about different lines at one place, and not about equal ones", () => {
    const added = (line: string) => base.replace("c: 3\n", `c: 3\n${line}\n`);
    expect(conflicts(added("x: 1"), added("x: 2"))).toEqual([{ isConflict: true, mine: ["x: 1"], theirs: ["x: 2"] }]);
    expect(mergedText(merge(added("x: 1"), added("x: 1")), [])).toBe(added("x: 1"));
  });

  test("asks only about the line that both have changed, of several", () => {
    const parts = merge("a: 1\nb: 20\nc: 30\nd: 4\ne: 5\n", "a: 1\nb: 21\nc: 3\nd: 4\ne: 5\n");
    expect(mergedText(parts, [false])).toBe("a: 1\nb: 21\nc: 30\nd: 4\ne: 5\n");
  });

  test("keeps a change beside one of the other", () => {
    const merged = merge("a: 1\nb: 20\nc: 3\nd: 4\ne: 5\n", "a: 1\nb: 2\nc: 30\nd: 4\ne: 5\n");
    expect(mergedText(merged, [])).toBe("a: 1\nb: 20\nc: 30\nd: 4\ne: 5\n");
  });
});
