/** The commands that the guides show, in blocks of "sh". */

import { readFileSync } from "node:fs";

/** The blocks of a page, in order; of one section if a heading is given. */
export function shellBlocks(page: string, heading?: string): string[] {
  const text = readFileSync(page, "utf8");
  const section = heading === undefined ? text : (text.split(`\n${heading}\n`)[1]?.split("\n## ")[0] ?? "");
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
}

/** The command of a page that begins with these words. */
export function shownCommand(page: string, begin: string): string {
  const found = shellBlocks(page)
    .flatMap((block) => block.split("\n"))
    .find((line) => line.startsWith(begin));
  if (found === undefined) throw new Error(`${page} does not show "${begin} ..." any more`);
  return found;
}
