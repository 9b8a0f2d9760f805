/** Folders inside a room import each other in one direction. */

import { posix } from "node:path";
import { type Finding, isSource, roomOf, type Tree, testFile } from "./tree.ts";

/** Circles that are there, each with the reason why. Nothing may be added without one. */
const exceptions: ReadonlySet<string> = new Set([]);

/**
 * Types may refer to each other; what counts are imports of values. The files at the root of a room count each for itself: its contract lies
 * below the folders, its list above them.
 */
export function folderCircles(tree: Tree): Finding[] {
  const arrows = arrowsOf(tree);
  const findings: Finding[] = [];
  for (const [from, targets] of arrows) {
    for (const [to, file] of targets) {
      if (isFile(from) && isFile(to)) continue;
      if (exceptions.has(`${from} -> ${to}`) || !reaches(arrows, to, from)) continue;
      const fix = "move the part that both need to a folder below them, or the file to the folder that uses it";
      findings.push({ level: "error", file, problem: `imports ${to}, which imports ${from}`, fix });
    }
  }
  return findings;
}

type Arrows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** By the importing folder: the folders of the same room that it imports, each with one file that does. */
function arrowsOf(tree: Tree): Arrows {
  const arrows = new Map<string, Map<string, string>>();
  for (const [file, text] of tree) {
    const room = roomOf(file);
    if (room === undefined || !isSource(file) || testFile.test(file)) continue;
    const from = folderOf(file);
    for (const target of valueImportsOf(file, text)) {
      const to = folderOf(target);
      if (roomOf(target) !== room || to === from) continue;
      const targets = arrows.get(from) ?? new Map<string, string>();
      if (!targets.has(to)) targets.set(to, file);
      arrows.set(from, targets);
    }
  }
  return arrows;
}

/** "src/machinery/schema" of any file in it, "src/kv/contract.ts" of a file at the root of its room. */
function folderOf(file: string): string {
  return file.split("/").slice(0, 3).join("/");
}
const isFile = (folder: string): boolean => /\.tsx?$/.test(folder);

function valueImportsOf(file: string, text: string): string[] {
  const found = text.matchAll(/^(?:import|export)\s(?!type\b)([^;"']*?)\bfrom\s*"(\.{1,2}\/[^"]+)"/gm);
  return [...found]
    .filter(([, names = ""]) => !hasOnlyTypes(names))
    .map(([, , path = ""]) => posix.normalize(posix.join(posix.dirname(file), path)));
}

/** `{ type A, type B }`. */
function hasOnlyTypes(names: string): boolean {
  const listed = /^\{([^}]*)\}\s*$/.exec(names.trim())?.[1]?.split(",") ?? [];
  const filled = listed.map((name) => name.trim()).filter((name) => name !== "");
  return filled.length > 0 && filled.every((name) => name.startsWith("type "));
}

/** `arrows`: by each name, those that it points to. */
export function reaches(
  arrows: ReadonlyMap<string, { keys(): Iterable<string> }>,
  from: string,
  goal: string,
): boolean {
  const seen = new Set<string>();
  const waiting = [from];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === goal) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(arrows.get(next)?.keys() ?? []));
  }
  return false;
}

/** Files that import values of each other can only be understood together, and depend on which is loaded first. */
export function fileCircles(tree: Tree): Finding[] {
  const arrows = new Map<string, ReadonlySet<string>>();
  for (const [file, text] of tree) {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file)) continue;
    arrows.set(file, new Set(valueImportsOf(file, text)));
  }
  const findings: Finding[] = [];
  for (const [file, targets] of arrows) {
    for (const target of targets) {
      if (!reaches(arrows, target, file)) continue;
      const fix = "move the part that both need to a file below them, or hand one to the other";
      findings.push({ level: "error", file, problem: `imports ${target}, which imports it in turn`, fix });
    }
  }
  return findings;
}
