import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { createContext, runInContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { loadPageFiles } from "../../src/ctl/console/page-files.ts";
// @ts-expect-error: a script of the build, which has no types.
import { buildSite } from "./build-site.mjs";

const folder = mkdtempSync(join(tmpdir(), "orch-site-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
buildSite(join(folder, "docs"));
const site = join(folder, "docs");
const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
const textOf = new Map(pages.map((name) => [name, readFileSync(join(site, name), "utf8")]));

test("every link of the site leads to a page, and to a heading that it has", () => {
  const broken: string[] = [];
  for (const [page, text] of textOf)
    for (const [, href = ""] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [path = "", hash] = href.split("#");
      const target = path === "" ? page : posix.join(posix.dirname(page), path);
      const isThere = existsSync(join(site, target));
      if (!isThere || (hash && !textOf.get(target)?.includes(`id="${hash}"`))) broken.push(`${page}: ${href}`);
    }
  expect(broken).toEqual([]);
});

test("no page has scripts or styles of its own, nor loads anything from elsewhere", () => {
  for (const [page, text] of textOf) {
    expect(text.replace(/<pre>.*?<\/pre>/gs, ""), page).not.toMatch(/<script>|<style|style="|onclick=|<iframe/);
    expect(text, page).not.toMatch(/<(?:script|img|link)[^>]* (?:src|href)="(?:https?:)?\/\//);
  }
});

/** The search in a page of one field and one list. */
function search(query: string): string[] {
  interface Node {
    href?: string;
    textContent?: string;
    hidden?: boolean;
    children: Node[];
    append(...nodes: Node[]): void;
    replaceChildren(...nodes: Node[]): void;
  }
  const node = (): Node => {
    const self: Node = {
      children: [],
      append: (...nodes) => void self.children.push(...nodes),
      replaceChildren: (...nodes) => void self.children.splice(0, self.children.length, ...nodes),
    };
    return self;
  };
  const list = node();
  let onInput = () => {};
  const addEventListener = (_type: string, call: () => void) => {
    onInput = call;
  };
  const field = { value: query, addEventListener };
  const document = {
    currentScript: { dataset: { root: "" } },
    getElementById: (id: string) => (id === "query" ? field : list),
    createElement: node,
    addEventListener: () => {},
  };
  const context = createContext({ document });
  for (const name of ["search-index.js", "search.js"]) runInContext(readFileSync(join(site, name), "utf8"), context);
  onInput();
  return list.children.map(({ children, textContent }) => children[0]?.href ?? textContent ?? "");
}

test.each([
  ["envtest", "coming-from.html#from-envtest"],
  ["fork", "testing.html"],
  ["my operator machine", "host.html#run-my-operator-on-this-machine"],
  ["leader election", "building.html"],
  ["restore backup", "backup.html"],
])("the search for %s finds %s", (query, wanted) => {
  expect(search(query).join("\n")).toContain(wanted);
});

test("the search takes every text as words", () => {
  expect(search('<img src=x> ".*+?^${}()|[]\\')).toEqual(["No section has all these words."]);
  expect(search("   ")).toEqual([]);
});

test("the console serves the site under docs/", () => {
  for (const name of ["index.html", "app.js", "app.css", "icon.svg"]) writeFileSync(join(folder, name), "");
  const files = loadPageFiles(folder);
  expect(files.get("/docs/")?.type).toBe("text/html; charset=utf-8");
  expect(files.get("/docs/")?.content.toString()).toContain("<title>The docs, by what you want to do");
  expect(files.get("/docs/search.js")?.type).toBe("text/javascript; charset=utf-8");
  expect(files.has("/docs/../app.js")).toBe(false);
});
