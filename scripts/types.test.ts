/**
 * What users compile: the snippets of the guides and what `ctl types` prints, against the types of the package (test/golden/types/). At night
 * also the sources, whose kinds must have the types that are printed for editors.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { readDefinition } from "../src/ctl/types/definitions.ts";
import { printDeclarations } from "../src/ctl/types/print-declarations.ts";
import { printModule } from "../src/ctl/types/print-module.ts";
import * as kinds from "../src/kit/kinds.ts";
import { writeSnippets } from "./snippets.suite.ts";

/** A definition as `ctl types` reads it, and a program that uses what it prints. */
const widgets = readDefinition(
  {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      versions: ["v1", "v2"].map((name) => ({
        name,
        served: true,
        storage: name === "v2",
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer" },
                  color: { type: "string", enum: ["red", "blue"] },
                  parts: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
                  labels: { type: "object", additionalProperties: { type: "string" } },
                },
              },
            },
          },
        },
      })),
    },
  },
  "a test",
);
const use = `import { connect, controller } from "orch/client";
import { Widget } from "./widget.ts";
import type { Widget as Declared } from "./widget-types.d.ts";

const client = await connect();
const made: Widget = await client.of(Widget).create({ metadata: { name: "one" }, spec: { size: 1, color: "red" } });
export const same: Declared["spec"] = made.spec;
export const old: number = (await client.of(Widget.versions.v1).get("one")).spec.size;
export const names: (string | undefined)[] | undefined = made.spec.parts?.map(({ name }) => name);
// @ts-expect-error an absent member is not undefined
void client.of(Widget).update({ ...made, spec: { size: 1, color: undefined } });
// @ts-expect-error not one of the values
void client.of(Widget).update({ ...made, spec: { size: 1, color: "green" } });
export const sized = controller({ for: Widget, reconcile: async ({ object }) => void object.spec.size.toFixed() });
`;

const isLong = process.env["LONG_TESTS"] !== undefined;

/** Only what `ctl types` prints must compile under `noPropertyAccessFromIndexSignature`; the sources and the snippets are shorter without. */
const isOfOthers = (line: string) =>
  line.includes("error TS4111") && !/^\S*object-types-test\/(widget|use|same)/.test(line);

test("declarations, what `ctl types` prints and the snippets of the guides compile under the strictest options", {
  timeout: 300_000,
}, async () => {
  const folder = ".cache/object-types-test";
  mkdirSync(folder, { recursive: true });
  try {
    const outfile = join(folder, "print.mjs");
    const options = { bundle: true, platform: "node", format: "esm", packages: "external" } as const;
    await build({ ...options, entryPoints: ["scripts/object-types.ts"], outfile });
    const { stdout } = spawnSync(process.execPath, [outfile], { encoding: "utf8" });
    expect(stdout).toContain(
      '  /** Pending, Running, Succeeded, Failed or Unknown. */\n  phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";',
    );
    expect(stdout).toMatch(/ \(since v1\.33\) \*\/\nexport interface ServiceCIDR /);
    expect(stdout).toMatch(/ \(since v1\.\d+\) \*\/\n {2}timeZone\?: string;/);
    writeFileSync(join(folder, "object-types.d.ts"), stdout);
    cpSync("test/golden/types", folder, { recursive: true });
    if (isLong) writeFileSync(join(folder, "same.ts"), sameTypes());
    writeFileSync(join(folder, "widget.ts"), printModule([widgets]));
    writeFileSync(join(folder, "widget-types.d.ts"), printDeclarations([widgets]));
    writeFileSync(join(folder, "use.ts"), use);
    const snippets = writeSnippets(folder);
    expect(snippets.length).toBeGreaterThan(20);
    const paths = {
      orch: ["./library.d.ts"],
      "orch/client": ["./client.d.ts"],
      "orch/testing": ["./testing.d.ts"],
      "orch/types": ["./object-types.d.ts"],
    };
    const files = [...(isLong ? ["same.ts"] : []), "use.ts", ...snippets];
    const config = {
      extends: "../../tsconfig.json",
      compilerOptions: { paths, noPropertyAccessFromIndexSignature: true, incremental: false },
      include: [],
      files,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const checked = spawnSync(
      process.execPath,
      ["node_modules/typescript/bin/tsc", "-p", folder, "--pretty", "false"],
      {
        encoding: "utf8",
      },
    );
    const problems = checked.stdout.split("\n").filter((line) => line !== "" && !isOfOthers(line));
    expect([problems.slice(0, 20), checked.stderr]).toEqual([[], ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A program that compiles if the kinds of the sources and the printed types of editors are the same. */
function sameTypes(): string {
  const pairs = Object.keys(kinds).map(
    (name) =>
      `export const ${name}: types.${name} = given<kinds.${name}>();\nexport const ${name}Back: kinds.${name} = given<types.${name}>();`,
  );
  return `import type * as kinds from "../../src/kit/kinds.ts";\nimport type * as types from "./object-types.d.ts";\ndeclare function given<T>(): T;\n${pairs.join("\n")}\n`;
}
