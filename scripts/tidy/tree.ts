/** The repository as the rules see it, and what they find in it. */

import { posix } from "node:path";

/** Files by their path from the root, as text. */
export type Tree = ReadonlyMap<string, string>;

/** `error` fails the check, `warning` is only shown. `fix` says what to do. */
export interface Finding {
  readonly level: "error" | "warning";
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

export const testFile = /\.(test|suite|fixture)\.ts$/;

export const roomOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];

export const isSource = (file: string) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts");

export function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)["'](\.{1,2}\/[^"']+)["']/gm);
  return [...found].map((match) => posix.normalize(posix.join(posix.dirname(file), match[1] ?? "")));
}
