import { describe, expect, test } from "vitest";
import { finish } from "../base/time-slice.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { goldenLevels } from "../machinery/schema/levels.ts";
import type { Schema } from "../machinery/schema/schema.ts";
import { allKinds, testEnvironment } from "../testing/all-kinds.ts";
import { compileCondition } from "./condition.ts";

const kindsAt = (level: (typeof goldenLevels)[number]) => allKinds(testEnvironment({ level }));

function kindNamed(name: string): BoundKind {
  const found = kindsAt(goldenLevels[0]!).find(({ kind, version }) => kind === name && version === "v1");
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
}

const termsOf = (kind: string, where: string) => finish(compileCondition(kindNamed(kind), where)).terms;

describe("an index helps where an expression needs a value", () => {
  test.each([
    ['self.spec.nodeName == "n1"', ["field spec.nodeName"], ["n1"]],
    ['"n1" == self.spec.nodeName', ["field spec.nodeName"], ["n1"]],
    ['self.metadata.labels["app"] == "web"', ["label app"], ["web"]],
    ['self.metadata.labels.app in ["web", "db"]', ["label app"], ["web", "db"]],
    ["self.spec.hostNetwork == false", [], []],
    ['self.spec.nodeName == "n1" && size(self.spec.containers) > 1', ["field spec.nodeName"], ["n1"]],
    [
      'self.metadata.namespace == "a" && self.metadata.name == "b"',
      ["field metadata.namespace", "field metadata.name"],
      ["a", "b"],
    ],
  ])("%s", (where, indexes, values) => {
    const terms = termsOf("Pod", where);
    expect(terms.map(({ index }) => index)).toEqual(indexes);
    expect(terms.flatMap((term) => term.values)).toEqual(values);
  });

  test.each([
    'self.spec.nodeName == "n1" || true',
    'self.spec.nodeName != "n1"',
    '!(self.spec.nodeName == "n1")',
    "self.spec.nodeName == self.metadata.name",
    'self.spec.?nodeName == optional.of("n1")',
    '[self].exists(self, self.metadata.name == "b")',
  ])("but not in %s", (where) => {
    expect(termsOf("Pod", where)).toEqual([]);
  });
});

/** A value of the schema, and how an index has it. */
function sampleOf({ type }: Schema): readonly [value: unknown, text: string] | undefined {
  if (type === "string") return ["sample", "sample"];
  if (type === "bool") return [true, "true"];
  return type === "int32" || type === "int64" ? [7, "7"] : undefined;
}

function schemaAt(schema: Schema, path: readonly string[]): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const name of path) at = at?.type === "struct" ? at.fields.get(name)?.schema : undefined;
  return at;
}

test("what selectors call a field has the text of that field, so that an index misses no object", () => {
  const compared: string[] = [];
  for (const level of goldenLevels)
    for (const kind of kindsAt(level)) {
      if (kind !== kind.family.hub) continue;
      for (const [path, read] of Object.entries(kind.family.strategy.selectableFields ?? {})) {
        const steps = path.split(".");
        const sample = sampleOf(schemaAt(kind.schema, steps) ?? { type: "json", form: "raw" });
        if (sample === undefined) continue; // no expression compares it with a literal
        const [value, text] = sample;
        const outer = (leaf: object) => ({ spec: {}, status: {}, metadata: {}, ...leaf });
        const holding = steps.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
        expect([kind.kind, path, read(outer(holding) as never, kind.family.environment)]).toEqual([
          kind.kind,
          path,
          text,
        ]);
        compared.push(path);
      }
    }
  expect(compared).toContain("spec.nodeName");
});
