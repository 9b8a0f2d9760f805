/** A gate is listed among those with an effect because something is behind it: the compiler refuses a use that is not listed. */

import { type Finding, isSource, type Tree, testFile } from "./tree.ts";

const list = "src/machinery/schema/gates.ts";

export function gatesWithoutUse(tree: Tree): Finding[] {
  const names = [...(tree.get(list) ?? "").matchAll(/^ {2}"(\w+)",$/gm)].map(([, name = ""]) => name);
  const sources = [...tree].filter(
    ([file]) => isSource(file) && !testFile.test(file) && file !== list && /^src\/(?!api\/gates\/)/.test(file),
  );
  return names
    .filter((name) => !sources.some(([, text]) => text.includes(`"${name}"`)))
    .map((name) => {
      const fix = "take it out of the list: a server then says that it changes nothing";
      return { level: "error", file: list, problem: `lists the gate ${name}, which nothing asks for`, fix };
    });
}
