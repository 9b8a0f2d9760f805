/** What the reference shows of a source, and what it leaves out. */

import { expect, test } from "vitest";
import { namesWithoutExample, stalePages } from "../tidy/api-pages.ts";
import { readSource } from "./declarations.ts";
import { apiPages } from "./pages.ts";

const signatureOf = (text: string) => [...readSource("src/kit/a.ts", text).declarations.values()][0]?.signature;

const cases = [
  {
    why: "a function without its body, also where its type has braces",
    text: "export async function open(\n  path: string,\n): Promise<{ a: 1 }> {\n  return x;\n}",
    shown: "function open(\n  path: string,\n): Promise<{ a: 1 }>",
  },
  {
    why: "an arrow function as a function",
    text: "export const isSo = <T>(one: (a: T) => T): one is Fine<T> => true;",
    shown: "function isSo<T>(one: (a: T) => T): one is Fine<T>",
  },
  {
    why: "a value with its type, or a short value",
    text: "export const most: Map<string, () => void> = new Map();",
    shown: "const most: Map<string, () => void>",
  },
  { why: "a limit with its value", text: "export const most = 3 * 1024;", shown: "const most = 3 * 1024" },
  { why: "a long value by its name", text: "export const all = {\n  a: f(1),\n};", shown: "const all" },
  {
    why: "an interface as it is",
    text: "export interface A {\n  /** So. */\n  readonly b?: string;\n}",
    shown: "interface A {\n  /** So. */\n  readonly b?: string;\n}",
  },
  {
    why: "the public members of a class, without bodies and values",
    text: "export class A extends B {\n  /** So. */\n  readonly b: number = 1;\n  #c = 2;\n\n  d(e: { f: 1 }): void {\n    this.#c++;\n  }\n}",
    shown: "class A extends B {\n  /** So. */\n  readonly b: number;\n  d(e: { f: 1 }): void;\n}",
  },
];
for (const { why, text, shown } of cases) test(`shows ${why}`, () => expect(signatureOf(text)).toBe(shown));

const tree = new Map([
  [
    "src/main/library.ts",
    "/** The server. */\n\n/** Makes one. */\nexport function make(options: Options): void {}\n\ninterface Options {\n  readonly part?: Part;\n}\n\n/** A part. */\ntype Part = 1;\n",
  ],
  ["src/main/testing.ts", '/** Tests. */\n\nexport { make } from "./library.ts";\n'],
  ["src/kit/orch-client.ts", '/** Clients. */\n\nexport { type Ref, ref } from "./ref.ts";\n'],
  ["src/kit/ref.ts", "/** Refs. More. */\n\nexport interface Ref {}\nexport const ref = (one: Ref): Ref => one;\n"],
]);

test("a page has what the module exports and the types that this mentions; headings that differ in case have links of their own", () => {
  const page = apiPages(tree).get("docs/api/orch.md") ?? "";
  expect(page.match(/^#+ .*/gm)).toEqual([
    "# `orch`",
    "## The server",
    "### make",
    "## Types that these mention",
    "### Options",
    "### Part",
  ]);
  expect(apiPages(tree).get("docs/api/orch-client.md")).toContain(
    "- Refs: [Ref](orch-client.md#ref), [ref](orch-client.md#ref-1)\n",
  );
  expect(apiPages(tree).get("docs/api/orch-testing.md")).toContain("[make](orch.md#make)");
});

test("a page that is missing, other than the sources say, or left over is found", () => {
  const pages = apiPages(tree);
  expect(stalePages(new Map([...tree, ...pages]))).toEqual([]);
  const changed = new Map([...tree, ...pages, ["docs/api/orch.md", "else"], ["docs/api/old.md", ""]]);
  expect(stalePages(changed).map(({ file }) => file)).toEqual(["docs/api/orch.md", "docs/api/old.md"]);
});

test("what users import and has no example is found, and an example is shown as code", () => {
  expect(namesWithoutExample(tree).map(({ problem }) => problem)).toContain("exports make to users without an example");
  const shown = new Map([
    ...tree,
    [
      "src/main/library.ts",
      "/** The server. */\n\n/**\n * Makes one.\n * @example\n * make();\n */\nexport function make(): void {}\n",
    ],
  ]);
  expect(
    namesWithoutExample(shown)
      .map(({ problem }) => problem)
      .join(),
  ).not.toContain("make");
  expect(apiPages(shown).get("docs/api/orch.md")).toContain(
    "Makes one.\n\n```ts\nfunction make(): void\n```\n\nFor example:\n\n```ts\nmake();\n```\n",
  );
});
