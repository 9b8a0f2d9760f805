/** What users can call is named in a page that they can find. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands as ctlCommands } from "../src/ctl/commands/list.ts";
import * as client from "../src/kit/orch-client.ts";
import { commands } from "../src/main/commands/list.ts";
import * as library from "../src/main/library.ts";
import * as testing from "../src/main/testing.ts";
import { documented } from "./pictures/list.mjs";

const pagesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const guides = [...pagesOf("docs"), "examples/README.md", "deploy/README.md"];
const textOf = (paths: readonly string[]) => paths.map((path) => readFileSync(path, "utf8")).join("\n");

const isNamedIn = (text: string) => (name: string) =>
  new RegExp(`(?<![\\w-])${name.replaceAll("$", "\\$")}(?![\\w-])`).test(text);

test("the README names every command of orch", () => {
  const names = [...commands.map(({ name }) => name), "version", "help"].map((name) => `orch ${name}`);
  const isNamed = isNamedIn(textOf(["README.md"]));
  expect(names.filter((name) => !isNamed(name))).toEqual([]);
});

test("the page of ctl names every command of ctl", () => {
  const isNamed = isNamedIn(textOf(["docs/ctl.md"]));
  expect(
    ctlCommands
      .filter(({ isHidden }) => !isHidden)
      .map(({ name }) => name)
      .filter((name) => !isNamed(name)),
  ).toEqual([]);
});

test("a guide names every function that the package exports, and the reference everything", () => {
  const reference = isNamedIn(textOf(pagesOf("docs/api")));
  const guide = isNamedIn(textOf(["README.md", ...guides]));
  const all = Object.entries({ ...client, ...library, ...testing });
  expect(all.map(([name]) => name).filter((name) => !reference(name))).toEqual([]);
  const functions = all.flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  expect(functions.filter((name) => !guide(name))).toEqual([]);
});

test("the index has every page once, with what it answers", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const links = [...index.matchAll(/^\| .*$/gm)].flatMap(([row]) => [...row.matchAll(/\]\(([\w./-]+)\)/g)]);
  const paths = links.map(([, path = ""]) => path);
  expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  const pages = [...pagesOf("docs"), ...pagesOf("docs/api")].map((path) => path.slice("docs/".length));
  expect(pages.filter((path) => path !== "README.md" && !paths.includes(path))).toEqual([]);
});

test("the page of the console shows the pictures that are taken for it, and no others", () => {
  const files = readdirSync("docs").flatMap((file) => /^console-(\w+)\.png$/.exec(file)?.[1] ?? []);
  const shown = [...readFileSync("docs/console.md", "utf8").matchAll(/\]\(console-(\w+)\.png\)/g)].map(
    ([, name]) => name,
  );
  expect(files.sort()).toEqual([...documented].sort());
  expect(shown.sort()).toEqual(files);
});
