/** Rules about what is written: docs and comments that name missing files, repeated names of types, open ends, avoided words, long files, limits and kinds without their pages. */

import { posix } from "node:path";
import { existsIn, type Release } from "../../src/base/release.ts";
import { goldenFolderOf, goldenLevels, levels } from "../../src/machinery/schema/levels.ts";
import { type Finding, isSource, roomOf, type Tree, testFile } from "./tree.ts";

const longFileLines = 400;

/**
 * Whether there is what `file` calls `path`. A path holds from the folder of the file, from the root and from src. A name alone, or the end of a path, must be in
 * the room of the file; outside the rooms, in a room or folder that `near`, the lines around, names in full.
 */
function fileFinder(tree: Tree): (file: string, path: string, near: string) => boolean {
  const files = [...tree.keys()];
  const folders = new Set(files.flatMap((file) => parentsOf(file)));
  const isThere = (path: string): boolean => {
    const place = posix.normalize(path).replace(/\/$/, "");
    return tree.has(place) || folders.has(place);
  };
  return (file, path, near) => {
    if ([posix.join(posix.dirname(file), path), path, posix.join("src", path)].some(isThere)) return true;
    return roomsNear(file, near).some((room) =>
      files.some((other) => other.startsWith(room) && other.endsWith(`/${path}`)),
    );
  };
}

function parentsOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** The folders in which a name alone is looked for. */
function roomsNear(file: string, near: string): string[] {
  const own = /^(?:src\/[\w-]+|scripts|bench|test|examples)\//.exec(file)?.[0];
  const named = [...near.matchAll(/\b(?:src\/[\w-]+|scripts|bench|test|examples)\//g)].map(([room]) => room);
  return own === undefined ? named : [own, ...named];
}

const missingFileFix = "name the file that holds it now, or remove the sentence";

/** Looks at what is written as code or as a link and has the form of a path to a file of ours. */
export function missingFilesInDocs(tree: Tree): Finding[] {
  const isThere = fileFinder(tree);
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!file.endsWith(".md") || file === "CHANGELOG.md") continue;
    const coded = [...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)*\/?)`/g)].map((match) => match[1] ?? "");
    const linked = [...text.matchAll(/\]\(([\w./-]+)(?:#[\w-]*)?\)/g)].map((match) => match[1] ?? "");
    const ours = coded.filter((path) =>
      /^(src|docs|scripts|test|bench|examples|bin)\/|^[\w/-]+\.(ts|mjs|md)$/.test(path),
    );
    for (const path of new Set([...ours, ...linked])) {
      if (isThere(file, path, paragraphsWith(text, path))) continue;
      findings.push({
        level: "error",
        file,
        problem: `names ${path}, which does not exist`,
        fix: missingFileFix,
      });
    }
  }
  return findings;
}

/** A row of a reading table names a file, and what to read in it. */
export function missingNamesInTables(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!/^docs\/.*\.md$/.test(file)) continue;
    for (const [, path = "", name = ""] of text.matchAll(/^\| `([\w./-]+\.tsx?)` \| `([\w.]+)` \|/gm)) {
      const last = name.split(".").at(-1) ?? name;
      const source = tree.get(path);
      if (source === undefined || new RegExp(`\\b${last}\\b`).test(source)) continue;
      const fix = "name the function that does it now";
      findings.push({ level: "error", file, problem: `looks for ${name} in ${path}, which does not have it`, fix });
    }
  }
  return findings;
}

/** What a README of a room names in the form of one of our names, such as `createThing` or `ThingOptions`, is in the sources. */
export function missingNamesInReadmes(tree: Tree): Finding[] {
  const rooms = [...tree].filter(([file]) => /^src\/[\w-]+\/README\.md$/.test(file));
  const sources = [...tree].filter(([file]) => file.startsWith("src/") && isSource(file)).map(([, text]) => text);
  return rooms.flatMap(([file, text]) =>
    [...text.replace(/```.*?```/gs, "").matchAll(/`(?:\w+\.)?(\w*[a-z][A-Z]\w*)(?:\([^`]*\))?`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !sources.some((source) => source.includes(name)))
      .map((name) => {
        const fix = "name what does it now, or remove the sentence";
        return { level: "error", file, problem: `names ${name}, which is in no source`, fix };
      }),
  );
}

/** The paragraphs of a page that say `path`: a table is one. */
function paragraphsWith(text: string, path: string): string {
  return text
    .split(/\n\n/)
    .filter((paragraph) => paragraph.includes(path))
    .join("\n");
}

const commentOf = (line: string): string => /^\s*(\/\*\*|\*|\/\/).*| \/\/ .*/.exec(line)?.[0] ?? "";

/** Looks at words that end like the name of a file of ours. */
export function missingFilesInComments(tree: Tree): Finding[] {
  const isThere = fileFinder(tree);
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!/^(src|scripts|bench|test)\//.test(file) || !isSource(file)) continue;
    text.split("\n").forEach((line, index) => {
      for (const [path] of commentOf(line).matchAll(/(?<![\w./*-])[\w@-]+(?:[./][\w@-]+)*\.(?:ts|mjs|md)(?![\w*-])/g)) {
        if (isThere(file, path, line)) continue;
        const problem = `names ${path}, which does not exist`;
        findings.push({ level: "error", file: `${file}:${index + 1}`, problem, fix: missingFileFix });
      }
    });
  }
  return findings;
}

/** Rooms whose names stand alone: versions of kinds, and what programs of users and the page in the browser import. */
const namedApart = new Set(["api", "kit", "testkit", "console"]);

/** One word names one thing: a reader who searches for a type finds one declaration. */
export function repeatedTypeNames(tree: Tree): Finding[] {
  const declared = new Map<string, string>();
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const room = roomOf(file);
    if (room === undefined || namedApart.has(room) || !isSource(file) || testFile.test(file)) continue;
    for (const [, name = ""] of text.matchAll(/^export (?:declare |abstract )*(?:interface|type|class) (\w+)/gm)) {
      const first = declared.get(name);
      if (first === undefined || first === file) declared.set(name, file);
      else {
        const fix = `${first} declares it; say in the name what this one is of, or import that one`;
        findings.push({ level: "error", file, problem: `declares the type ${name} a second time`, fix });
      }
    }
  }
  return findings;
}

export function bareTodos(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!/\.(ts|mjs)$/.test(file) || file.startsWith("scripts/tidy")) continue;
    text.split("\n").forEach((line, index) => {
      if (!/\b(TODO|FIXME)\b/.test(line) || /https?:\/\//.test(line)) return;
      const fix = "do it now, or open an issue and link it here";
      findings.push({
        level: "error",
        file: `${file}:${index + 1}`,
        problem: "a deferred thing without an issue",
        fix,
      });
    });
  }
  return findings;
}

/** Words of comments and docs that read like a translation, with what to write instead. See the glossary in CONTRIBUTING.md. */
const avoidedWords: readonly (readonly [word: RegExp, fix: string])[] = [
  [/\banew\b/i, "write again"],
  [/(?<!\b[Tt]here )\b(is|are) no (URL|number|name|object|list|text|error|address)s?\b/, "write is not a URL"],
  [/\b(asker|mirror of the key space|memory room)\b/i, "use the word of the glossary"],
];

/** Comments and pages only: names and messages may quote such words. */
export function avoidedWordsIn(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const isPage = /^(docs|src)\/.*\.md$/.test(file);
    if (!isPage && !/^src\/.*\.ts$/.test(file)) continue;
    text.split("\n").forEach((line, index) => {
      const prose = isPage ? line : commentOf(line);
      for (const [word, fix] of avoidedWords) {
        const found = word.exec(prose)?.[0];
        if (found === undefined) continue;
        findings.push({ level: "error", file: `${file}:${index + 1}`, problem: `says "${found}"`, fix });
      }
    });
  }
  return findings;
}

export function longFiles(tree: Tree): Finding[] {
  return [...tree]
    .filter(([file, text]) => isSource(file) && text.split("\n").length > longFileLines)
    .map(([file, text]) => ({
      level: "warning",
      file,
      problem: `has ${text.split("\n").length} lines`,
      fix: "look for the second subject; it usually has a name already",
    }));
}

/** The limits that operators must know, whose values a test compares; those of single kinds are in validation messages. */
export function limitsWithoutRow(tree: Tree): Finding[] {
  const page = tree.get("docs/operations.md") ?? "";
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!/^src\/(http|registry|kv|authn|authz|flowcontrol)\//.test(file) || !isSource(file) || testFile.test(file))
      continue;
    for (const [, name] of text.matchAll(/^export const (\w+Max) = [\d_ *]+;/gm)) {
      if (page.includes(`| \`${name}\` |`)) continue;
      const fix = "give it a row, or keep the constant to its file if no request can reach it";
      findings.push({ level: "warning", file, problem: `${name} is not in docs/operations.md`, fix });
    }
  }
  return findings;
}

const levelFolders = levels.flatMap((level) => goldenFolderOf(level) ?? []);
const goldenForms = ["json", "yaml", "pb.hex", "table.json"];

/** Whether no level with golden files has the version: it came after one and went before the next, or came after all. */
function isAtNoGoldenLevel(text: string): boolean {
  const since = /^ {2}since: "(\d+\.\d+)"/m.exec(text)?.[1];
  const removed = /\bremoved: "(\d+\.\d+)"/.exec(text)?.[1];
  if (since === undefined) return false;
  return !goldenLevels.some((level) =>
    existsIn(level, { since: since as Release, until: removed as Release | undefined }),
  );
}

/** A kind is declared where `kind(` or `version(` makes the value of its name; its golden files have the same path, at one level at least. */
export function kindsWithoutGoldens(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const path = /^src\/api\/([\w-]+\/\w+\/[\w-]+)\.ts$/.exec(file)?.[1];
    if (path === undefined || testFile.test(file) || !/^export const \w+ = (kind|version)\(/m.test(text)) continue;
    if (isAtNoGoldenLevel(text)) continue;
    const missing = goldenForms.filter(
      (form) => !levelFolders.some((level) => tree.has(`test/golden/${level}${path}.${form}`)),
    );
    if (missing.length === 0) continue;
    const fix = "run npm run golden, read the files and commit them";
    findings.push({ level: "error", file, problem: `has no golden file in ${missing.join(", ")}`, fix });
  }
  return findings;
}
