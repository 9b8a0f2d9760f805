/** Declarations of several files become one file for each entry. */

import { expect, test } from "vitest";
import { rollUp } from "./roll-up.mjs";

const rolledUp = (files: Readonly<Record<string, string>>, entries: Readonly<Record<string, string>>) =>
  rollUp({ files: new Map(Object.entries(files)), entries });

test("an entry has what it exports and what that mentions, and nothing else", () => {
  const files = {
    "main.d.ts": `/** The entry. */
import type { Size } from "./sizes.ts";
export { type Color, paint as draw } from "./paint.ts";
/** How large. */
export declare function sized(of: Size): import("./sizes.ts").Unit;
export {};
`,
    "sizes.d.ts": `/** Sizes. */
export interface Size {
    readonly unit: Unit;
}
export type Unit = "cm" | "m";
export type Unused = string;
`,
    "paint.d.ts": `/** Colors. */
export type Color = "red" | "blue";
export declare const paint: (Color: string, what: { Unit?: Color }) => void;
`,
  };
  expect(rolledUp(files, { main: "main.d.ts" }).get("main")).toBe(`/** The entry. */
/** How large. */
export declare function sized(of: Size): Unit;
interface Size {
    readonly unit: Unit;
}
type Unit = "cm" | "m";
export type Color = "red" | "blue";
export declare const draw: (Color: string, what: { Unit?: Color }) => void;
export {};
`);
});

test("what two entries have is in a file of its own, once", () => {
  const files = {
    "one.d.ts": `/** One. */\nexport { Shown } from "./shown.ts";\n`,
    "two.d.ts": `/** Two. */\nimport type { Shown } from "./shown.ts";\nexport declare const other: Shown | undefined;\n`,
    "shown.d.ts": `/** Shown. */\nexport declare class Shown {\n    #private;\n}\n`,
  };
  const made = rolledUp(files, { one: "one.d.ts", two: "two.d.ts" });
  expect(made.get("one")).toBe(`/** One. */\nexport { Shown } from "./shared.js";\nexport {};\n`);
  expect(made.get("two")).toBe(
    `/** Two. */\nimport type { Shown } from "./shared.js";\nexport declare const other: Shown | undefined;\nexport {};\n`,
  );
  expect(made.get("shared")).toContain("export declare class Shown {");
});

test("of two declarations of a name, the one that is not exported gets another", () => {
  const files = {
    "main.d.ts": `/** The entry. */\nimport type { Rule as Other } from "./other.ts";\nexport interface Rule {\n    readonly Rule: Other;\n}\n`,
    "other.d.ts": `/** Other. */\nexport interface Rule {\n    readonly next?: Rule;\n}\n`,
  };
  expect(rolledUp(files, { main: "main.d.ts" }).get("main")).toBe(
    `/** The entry. */\nexport interface Rule {\n    readonly Rule: Rule1;\n}\ninterface Rule1 {\n    readonly next?: Rule1;\n}\nexport {};\n`,
  );
});

test("a file that is exported under a name is a namespace", () => {
  const files = {
    "main.d.ts": `/** The entry. */\nexport * as field from "./fields.ts";\n`,
    "fields.d.ts": `/** Fields. */\ntype Value = 1 | 2;\n/** A text. */\nexport declare const string: () => Value;\n`,
  };
  expect(rolledUp(files, { main: "main.d.ts" }).get("main")).toBe(
    `/** The entry. */\ntype Value = 1 | 2;\nexport declare namespace field {\n    /** A text. */\n    const string: () => Value;\n}\nexport {};\n`,
  );
});

test("types of Node are not needed", () => {
  const files = {
    "main.d.ts": `/** The entry. */\nimport type { Duplex } from "node:stream";\nexport type Socket = Duplex;\n`,
  };
  expect(rolledUp(files, { main: "main.d.ts" }).get("main")).toContain(
    `// @ts-ignore\nimport type { Duplex } from "node:stream";\n`,
  );
});

test("a mention of what nothing declares is an error", () => {
  const files = { "main.d.ts": `/** The entry. */\nexport { Missing } from "./other.ts";\n`, "other.d.ts": "" };
  expect(() => rolledUp(files, { main: "main.d.ts" })).toThrow("main.d.ts exports Missing, which nothing declares");
});
