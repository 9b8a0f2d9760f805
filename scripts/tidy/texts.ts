/** Rules about what is written: docs and comments that name missing files, repeated names of types, open ends, avoided words, long files, limits and kinds without their pages. */

import { posix } from "node:path";
import { type Finding, isSource, roomOf, type Tree, testFile } from "./tree.ts";

const longFileLines = 400;

/** Whether there is what `file` calls `path`: from its own folder, from the root, or by the end of the path. */
function fileFinder(tree: Tree): (file: string, path: string) => boolean {
  const files = [...tree.keys()];
  const names = new Set(files.map((file) => posix.basename(file)));
  return (file, path) => {
    const places = [posix.join(posix.dirname(file), path), path, posix.join("src", path)].map((place) =>
      posix.normalize(place).replace(/\/$/, ""),
    );
    if (places.some((place) => tree.has(place) || files.some((other) => other.startsWith(`${place}/`)))) return true;
    return path.includes("/") ? files.some((other) => other.endsWith(`/${path}`)) : names.has(path);
  };
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
      if (isThere(file, path)) continue;
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

const commentOf = (line: string): string => /^\s*(\/\*\*|\*|\/\/).*| \/\/ .*/.exec(line)?.[0] ?? "";

/** Looks at words that end like the name of a file of ours. */
export function missingFilesInComments(tree: Tree): Finding[] {
  const isThere = fileFinder(tree);
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!/^(src|scripts|bench|test)\//.test(file) || !isSource(file)) continue;
    text.split("\n").forEach((line, index) => {
      for (const [path] of commentOf(line).matchAll(/(?<![\w./*-])[\w@-]+(?:[./][\w@-]+)*\.(?:ts|mjs|md)(?![\w*-])/g)) {
        if (isThere(file, path)) continue;
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

/** A number that counts at the level of a module belongs to no object and to no test: it is an argument, or the member of a class. */
export function moduleCounters(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file)) continue;
    for (const [, name = ""] of text.matchAll(/^(?:export )?let (\w+)(?:: number)? = -?\d/gm))
      findings.push({
        level: "error",
        file,
        problem: `counts in ${name}, a variable of the module`,
        fix: "hand the count from function to function, or make it a member of the class that has what is counted",
      });
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
  [/\b(nobody|whoever)\b/i, "name the subject: the caller, the user, the server"],
  [/\banew\b/i, "write again"],
  [/(?<!\b[Tt]here )\b(is|are) no (URL|number|name|object|list|text|error|address)s?\b/, "write is not a URL"],
  [/^\s*(\/\/|\/?\*+) (Of|The same)\b/, "begin with a subject or a verb: The hash of the template, Reads it in steps"],
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
        findings.push({ level: "warning", file: `${file}:${index + 1}`, problem: `says "${found}"`, fix });
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

const levelFolders = ["", "1.35/"];
const goldenForms = ["json", "yaml", "pb.hex", "table.json"];

/** A kind is declared where `kind(` or `version(` makes the value of its name; its golden files have the same path, at one level at least. */
export function kindsWithoutGoldens(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const path = /^src\/api\/([\w-]+\/\w+\/[\w-]+)\.ts$/.exec(file)?.[1];
    if (path === undefined || testFile.test(file) || !/^export const \w+ = (kind|version)\(/m.test(text)) continue;
    const missing = goldenForms.filter(
      (form) => !levelFolders.some((level) => tree.has(`test/golden/${level}${path}.${form}`)),
    );
    if (missing.length === 0) continue;
    const fix = "run npm run golden, read the files and commit them";
    findings.push({ level: "error", file, problem: `has no golden file in ${missing.join(", ")}`, fix });
  }
  return findings;
}
