import { describe, expect, test } from "vitest";
import { finish } from "../base/time-slice.ts";
import { rulesLine, valuesOf } from "../ctl/commands/explain-rules.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import { buildOpenApiV2 } from "../machinery/openapi/v2.ts";
import { elided, int32, list, optional, string, struct } from "../machinery/schema/build.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import { kind } from "../machinery/schema/kind.ts";
import type { Rule } from "../machinery/schema/rule.ts";
import type { Field } from "../machinery/schema/schema.ts";
import { invalid } from "../machinery/status/field-error.ts";

interface Row {
  readonly field: Field;
  /** What OpenAPI says; undefined: a function has no words. */
  readonly words: readonly string[] | undefined;
  /** What explain prints below the description. */
  readonly line: string | undefined;
  readonly values?: readonly string[];
  readonly refused: unknown;
  readonly accepted: unknown;
}

/** One for each word of the language: the compiler asks for a row of a new one. */
const rows: Readonly<Record<Rule["rule"], Row>> = {
  required: {
    field: optional(int32()).required(),
    words: ["required"],
    line: "Rules: required",
    refused: undefined,
    accepted: 0,
  },
  filled: {
    field: optional(string()).filled(),
    words: ["not empty"],
    line: "Rules: not empty",
    refused: "",
    accepted: "a",
  },
  oneOf: {
    field: elided(string()).oneOf(["North", "South"]),
    words: ["one of North, South"],
    line: undefined, // the values are named by themselves
    values: ["North", "South"],
    refused: "West",
    accepted: "North",
  },
  range: {
    field: int32().atLeast(1).atMost(9),
    words: ["from 1 to 9"],
    line: "Rules: from 1 to 9",
    refused: 10,
    accepted: 9,
  },
  named: {
    field: elided(string()).named("label"),
    words: ["a DNS label"],
    line: "Rules: a DNS label",
    refused: "A_b",
    accepted: "a",
  },
  max: {
    field: elided(list(string())).max(2),
    words: ["at most 2 items"],
    line: "Rules: at most 2 items",
    refused: ["a", "b", "c"],
    accepted: ["a", "b"],
  },
  unique: {
    field: elided(list(string())).unique(),
    words: ["no two items are the same"],
    line: "Rules: no two items are the same",
    refused: ["a", "a"],
    accepted: ["a", "b"],
  },
  alone: {
    field: elided(list(string())).alone("*", "must be alone"),
    words: ["* is the only item"],
    line: "Rules: * is the only item",
    refused: ["*", "a"],
    accepted: ["*"],
  },
  checked: {
    field: elided(string()).checked((text, path) => (text === "bad" ? [invalid(path, text, "must not be bad")] : [])),
    words: undefined,
    line: undefined,
    refused: "bad",
    accepted: "good",
  },
  immutable: {
    field: elided(string()).immutable(),
    words: ["cannot be changed"],
    line: "Rules: cannot be changed",
    refused: "another",
    accepted: "first",
  },
};

const environment = plainEnvironment({ gates: { enabled: () => true } });

for (const [rule, { field, words, line, values, refused, accepted }] of Object.entries(rows)) {
  describe(`the rule ${rule}`, () => {
    const Ruled = kind({
      group: "tools.orch.io",
      version: "v1",
      kind: "RuledThing",
      resource: "ruledthings",
      doc: "A thing with a rule.",
      scope: "Cluster",
      fields: { spec: struct("core.v1.Ruled", { part: field.at(1) }).at(2) },
    });
    const catalog = createCatalog([Ruled], environment);
    const info = { title: "test", version: "1" };
    const { definitions } = finish(buildOpenApiV2(catalog, info));
    const property = definitions["io.orch.api.core.v1.Ruled"]?.properties?.["part"] ?? {};

    test("is published in OpenAPI", () => expect(property["x-orch-rules"]).toEqual(words));

    test("is shown by explain", () => {
      expect(rulesLine({ ...property })).toBe(line);
      expect(valuesOf({ ...property })).toEqual(values ?? []);
    });

    test("is checked by the server, and so by validate", () => {
      const { strategy } = catalog.of(Ruled);
      const thing = (part: unknown) => ({ metadata: { name: "a" }, spec: part === undefined ? {} : { part } });
      const problems = (part: unknown) =>
        (rule === "immutable"
          ? strategy.validateUpdate?.(thing(part), thing("first"), environment)
          : strategy.validate?.(thing(part), environment)) ?? [];
      expect(problems(accepted)).toEqual([]);
      expect(problems(refused)).not.toEqual([]);
    });
  });
}
