/** Writes what the guides show as programs, for `types.test.ts` to compile. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pages = ["README.md", "docs/admission.md", "docs/building.md", "docs/testing.md"];

/** What a snippet uses and an earlier one, or the reader, has made. A snippet that declares the name itself does not need it. */
const context: Readonly<Record<string, string>> = {
  authority: "declare const authority: string;",
  body: "declare const body: string;",
  certFile: "declare const certFile: string;",
  ConfigMap: 'import { ConfigMap } from "orch/client";',
  client: 'declare const client: import("orch/client").Client;',
  createServer: 'import { createServer } from "orch";',
  expect: 'import { expect } from "vitest";',
  headers: "declare const headers: Record<string, string>;",
  keyFile: "declare const keyFile: string;",
  kinds: 'import { kinds } from "orch";',
  maps: 'declare const maps: import("orch/client").Resource<import("orch/client").ConfigMap>;',
  other: 'declare const other: import("orch").OrchServer;',
  Pod: 'import { Pod } from "orch/client";',
  retryOnConflict: 'import { retryOnConflict } from "orch/client";',
  server: 'declare const server: import("orch").OrchServer;',
  sessionOf:
    "declare function sessionOf(cookie: string | null): Promise<{ user: string; teams: string[] } | undefined>;",
  signal: "declare const signal: AbortSignal;",
  test: 'import { test } from "vitest";',
  warm: 'declare const warm: import("orch").OrchServer;',
  Widget:
    'declare const Widget: import("orch/client").DefinedResource<Widget>;\ntype Widget = import("orch/client").AnyObject & { spec: { size: number } };',
};

/** Of an object literal in the middle of a declaration only the members are shown. */
const isWhole = (code: string) => !/^(rules|keywords):/.test(code);

function programOf(code: string): string {
  const isUsed = (name: string) => new RegExp(`(?<![\\w."'/-])${name}\\b(?!:)`).test(code);
  const isOwn = (name: string) =>
    new RegExp(
      `(?:const|let|using|function|class|type) ${name}\\b|import [^;]*\\b${name}\\b[^;]* from|const \\{[^}]*\\b${name}\\b`,
    ).test(code);
  const needed = Object.entries(context).filter(([name]) => isUsed(name) && !isOwn(name));
  return [...needed.map(([, text]) => text), code, "export {};", ""].join("\n");
}

/** Returns the names of the files that it has written to `folder`. */
export function writeSnippets(folder: string): string[] {
  const files: string[] = [];
  for (const page of pages)
    for (const [, code = ""] of readFileSync(page, "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
      if (!isWhole(code)) continue;
      const name = `${page.replace(/\W/g, "-")}-${files.length}.ts`;
      writeFileSync(join(folder, name), programOf(code));
      files.push(name);
    }
  return files;
}
