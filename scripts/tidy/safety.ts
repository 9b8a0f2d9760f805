/** Rules about safety: code generated from input, writes past admission, dependencies and the lock file. */

import { type Finding, isSource, roomOf, type Tree, testFile } from "./tree.ts";

/** What could turn a text into code or a command, or let requests through that two parsers read differently. */
const dangerous = /\beval\(|\bnew Function\(|["'](node:)?(vm|child_process)["']|\binsecureHTTPParser\b/;

/**
 * What a user runs on their own machine starts their editor, their plugins and their credential programs; systemd is notified by its
 * own program, and unshare mounts a folder for the program of `orch host`.
 */
const startsPrograms =
  /^src\/(client\/config\/run-plugin|ctl\/plugins|ctl\/editor|ctl\/external-diff|main\/commands\/run|main\/commands\/background|main\/commands\/notify-systemd|main\/host\/private-mount)\.ts$/;

/** Makes code of the names of declared fields, never of a request (docs/decisions/0016-unrolled-structs.md). */
const unrolls = "src/machinery/schema/read-fields.ts";

export function codeFromInput(tree: Tree): Finding[] {
  return [...tree].flatMap(([file, text]) => {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file)) return [];
    if (startsPrograms.test(file) || file === unrolls) return [];
    const found = dangerous.exec(text)?.[0];
    const fix = "a server makes no code and no commands of what it is given; find another way";
    return found === undefined ? [] : [{ level: "error" as const, file, problem: `uses ${found}`, fix }];
  });
}

/** Who may write past admission, or past the rules of a kind: the one file for each purpose of src/registry/contract/server-writes.ts. */
const skippingWriters: Readonly<Record<string, string>> = {
  "a charged quota": "src/admission/plugins/resource-quota.ts",
  "an eviction": "src/actions/pods/eviction.ts",
  "the mark of an eviction": "src/actions/pods/eviction.ts",
  "endpoints of a deleted service": "src/actions/services/endpoints.ts",
  "objects of a deleted definition": "src/upkeep/definition-cleanup.ts",
  "a binding": "src/actions/pods/binding.ts",
};

const serverWritesFile = "src/registry/contract/server-writes.ts";

/** The one file outside the registry that may store objects as they were printed before, past every check. */
const printedWriter = "src/upkeep/initial-objects.ts";

export function uncheckedWrites(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  const purposes =
    tree.get(serverWritesFile)?.matchAll(/^ {2}"?([\w ]+)"?: \{[^}]*\bskip(?:Admission|Rules)\b/gm) ?? [];
  for (const [, purpose = ""] of purposes) {
    if (Object.hasOwn(skippingWriters, purpose)) continue;
    const fix =
      "let the write be judged, or name the one file that may do it in skippingWriters of scripts/tidy/safety.ts";
    findings.push({ level: "error", file: serverWritesFile, problem: `"${purpose}" skips a check`, fix });
  }
  for (const [file, text] of tree) {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file) || file === serverWritesFile) continue;
    if (/\bskip(?:Admission|Rules)\s*:/.test(text)) {
      const fix = `write with serverWrites of ${serverWritesFile}, which says for what`;
      findings.push({ level: "error", file, problem: "writes past admission or past the rules of a kind", fix });
    }
    if (roomOf(file) !== "registry" && file !== printedWriter && /\.createEncoded\(/.test(text)) {
      const fix = `only ${printedWriter} may, in a new store; create the object`;
      findings.push({ level: "error", file, problem: "stores an object without any check", fix });
    }
    for (const [, purpose = ""] of text.matchAll(/\bserverWrites\(\s*"([^"]+)"/g)) {
      const allowed = skippingWriters[purpose];
      if (allowed === undefined || allowed === file) continue;
      const fix = `only ${allowed} may; write for a purpose that skips nothing`;
      findings.push({ level: "error", file, problem: `writes for "${purpose}", which skips a check`, fix });
    }
  }
  return findings;
}

/** Each one is code of strangers that runs with all rights. */
export const dependenciesMax = 10;

export function dependencies(tree: Tree): Finding[] {
  const file = "package.json";
  const text = tree.get(file);
  if (text === undefined) return [];
  const given = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
  const names = Object.keys({ ...given["dependencies"], ...given["optionalDependencies"] });
  const fix = "do without one of them, or say in docs/decisions why it is worth it and raise the limit";
  if (names.length <= dependenciesMax) return [];
  return [{ level: "error", file, problem: `has ${names.length} dependencies at run time`, fix }];
}

interface LockEntry {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function lockFile(tree: Tree): Finding[] {
  const file = "package-lock.json";
  const text = tree.get(file);
  if (text === undefined) return [];
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };
  const findings: Finding[] = [];
  for (const [path, entry] of Object.entries(packages)) {
    if (entry.resolved?.startsWith("http")) {
      const fix = "keep omit-lockfile-registry-resolved=true in .npmrc and run npm install again";
      findings.push({ level: "error", file, problem: `names a host for ${path}`, fix });
    }
    if (path !== "" && entry.integrity === undefined) {
      const fix = "run npm install again, with a registry that sends hashes";
      findings.push({ level: "error", file, problem: `has no hash for ${path}`, fix });
    }
    // npm ci fails on another platform when that platform's optional package is not in the lock.
    for (const name of path === "" ? [] : Object.keys(entry.optionalDependencies ?? {})) {
      if (packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`]) continue;
      const fix = "pin a version whose packages for all platforms can be had (see overrides in package.json)";
      findings.push({ level: "error", file, problem: `${path} wants ${name}, which is not in the lock`, fix });
    }
  }
  return findings;
}
