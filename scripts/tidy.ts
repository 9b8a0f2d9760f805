/** Tests the repository itself: who imports whom, files nobody needs, docs that name missing files, the lock file. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";

/** Files by their path from the root, as text. */
export type Tree = ReadonlyMap<string, string>;

/** `error` fails the check, `warning` is only shown. `fix` says what to do. */
export interface Finding {
  readonly level: "error" | "warning";
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

/**
 * Which rooms a room may import; "kv/contract.ts" allows that one file, "registry/contract/" that one folder. Two absences carry the design: machinery,
 * registry and http never import api, and controllers and ctl never import server rooms.
 */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  vocabulary: [],
  base: [],
  kv: ["base"],
  metrics: ["base"],
  machinery: ["base", "vocabulary"],
  api: ["machinery", "base", "vocabulary"],
  client: ["machinery", "metrics", "base", "vocabulary"],
  registry: [
    "kv/contract.ts",
    "machinery",
    "metrics",
    "base",
    "vocabulary",
    "authn/contract.ts",
    "admission/contract.ts",
    "admission/request.ts",
    "admission/without-memory.ts",
  ],
  authn: ["registry/contract/", "api", "machinery", "metrics", "base", "vocabulary"],
  authz: [
    "registry/contract/",
    "registry/server-writes.ts",
    "authn/contract.ts",
    "api",
    "machinery",
    "metrics",
    "base",
    "vocabulary",
  ],
  admission: [
    "registry/contract/",
    "registry/server-writes.ts",
    "authn/contract.ts",
    "authn/service-account-name.ts",
    "authz/contract.ts",
    "client/config/endpoint.ts",
    "api",
    "machinery",
    "metrics",
    "base",
    "vocabulary",
  ],
  strategies: [
    "registry/contract/",
    "registry/server-writes.ts",
    "authn",
    "authz",
    "api",
    "machinery",
    "base",
    "vocabulary",
  ],
  extensions: [
    "registry/contract/",
    "http/contract/",
    "authn/contract.ts",
    "registry/server-writes.ts",
    "api",
    "machinery",
    "metrics",
    "base",
    "vocabulary",
  ],
  upkeep: [
    "registry/contract/",
    "registry/server-writes.ts",
    "client/queue/contract.ts",
    "client/queue/work-queue.ts",
    "authn/published-configuration.ts",
    "authz/reconcile.ts",
    "api",
    "machinery",
    "base",
    "vocabulary",
  ],
  encryption: ["registry/contract/", "kv/contract.ts", "kv/etcd/wire.ts", "machinery", "metrics", "base", "vocabulary"],
  audit: ["authn/contract.ts", "machinery", "metrics", "base", "vocabulary"],
  flowcontrol: [
    "registry/contract/",
    "authn/contract.ts",
    "authz/contract.ts",
    "api",
    "machinery",
    "metrics",
    "base",
    "vocabulary",
  ],
  http: [
    "registry",
    "authn",
    "authz",
    "admission",
    "audit/contract.ts",
    "flowcontrol/contract.ts",
    "machinery",
    "metrics",
    "base",
    "vocabulary",
  ],
  controllers: ["client", "api", "machinery", "metrics", "base", "vocabulary"],
  ctl: ["client", "api", "machinery", "base", "vocabulary"],
  testing: ["main", "client", "api", "machinery", "base", "vocabulary", "kv"],
  console: ["base"],
};

/** Where programs begin: nobody imports these. */
const entryFiles =
  /^(src\/main\/(cli|ctl|library)\.ts|src\/console\/|scripts\/|bench\/|examples\/|test\/|vitest\.config\.ts)/;
const testFile = /\.(test|suite|fixture)\.ts$/;
const vagueFolders = new Set(["util", "utils", "common", "helpers", "shared"]);
const longFileLines = 400;

export function inspect(tree: Tree): Finding[] {
  return [
    ...importDirection(tree),
    ...unusedFiles(tree),
    ...houseRules(tree),
    ...missingFilesInDocs(tree),
    ...bareTodos(tree),
    ...kindsWithoutGoldens(tree),
    ...longFiles(tree),
    ...limitsWithoutRow(tree),
    ...lockFile(tree),
    ...codeFromInput(tree),
    ...uncheckedWrites(tree),
    ...dependencies(tree),
  ];
}

const roomOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];
const isSource = (file: string) => file.endsWith(".ts") && !file.endsWith(".d.ts");

function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)["'](\.{1,2}\/[^"']+)["']/gm);
  return [...found].map((match) => posix.normalize(posix.join(posix.dirname(file), match[1] ?? "")));
}

function importDirection(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const room = roomOf(file);
    // Tests may bring rooms together: what they import is not part of the program.
    if (room === undefined || room === "main" || !isSource(file) || testFile.test(file)) continue;
    const allowed = allowedImports[room];
    if (allowed === undefined) {
      const fix = "add the room to allowedImports in scripts/tidy.ts, with the rooms it may import";
      findings.push({ level: "error", file, problem: `src/${room} is not a room we know`, fix });
      continue;
    }
    for (const target of importsOf(file, text)) {
      if (file.startsWith("src/http/handlers/") && target.startsWith("src/http/filters/")) {
        const fix = "filters come before handlers and know none; put what both need into a file of src/http";
        findings.push({ level: "error", file, problem: `imports ${target}`, fix });
      }
      const other = roomOf(target);
      if (other === undefined || other === room) continue;
      const path = target.slice("src/".length);
      if (allowed.includes(other) || allowed.some((one) => one === path || (one.endsWith("/") && path.startsWith(one))))
        continue;
      const may = allowed.length === 0 ? "nothing" : allowed.join(", ");
      const fix = `${room} may import ${may}; move the shared part there, or let src/main hand it in`;
      findings.push({ level: "error", file, problem: `imports ${target}`, fix });
    }
  }
  return findings;
}

/** A file may also be named where it is started as a process of its own: `new URL("./writer.ts", import.meta.url)`. */
function unusedFiles(tree: Tree): Finding[] {
  const used = new Set<string>();
  for (const [file, text] of tree) {
    for (const match of isSource(file) ? text.matchAll(/"(?:\.\/)?([\w-]+\.ts)"/g) : []) {
      used.add(posix.join(posix.dirname(file), match[1] ?? ""));
    }
    for (const match of isSource(file) ? text.matchAll(/"(src\/[\w/-]+\.ts)"/g) : []) used.add(match[1] ?? "");
  }
  for (const [file, text] of tree)
    if (/\.(ts|mjs)$/.test(file)) for (const target of importsOf(file, text)) used.add(target);
  const fix = "delete it, or import it where it belongs";
  return [...tree.keys()]
    .filter((file) => isSource(file) && !testFile.test(file) && !entryFiles.test(file) && !used.has(file))
    .map((file) => ({ level: "error", file, problem: "nobody imports this file", fix }));
}

function houseRules(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  const rooms = new Set<string>();
  for (const [file, text] of tree) {
    const room = roomOf(file);
    if (room === undefined) continue;
    rooms.add(room);
    const vague = file.split("/").find((part) => vagueFolders.has(part.replace(/\.ts$/, "")));
    if (vague !== undefined) {
      const fix = "move each function to the room that owns its subject, or to src/base if it could be published alone";
      findings.push({ level: "error", file, problem: `"${vague}" names no subject`, fix });
    }
    if (file.endsWith("/index.ts")) {
      const fix = "import from the file that defines the thing";
      findings.push({ level: "error", file, problem: "is a barrel", fix });
    }
    if (isSource(file) && !testFile.test(file) && !/^(#!.*\n)?\s*(\/\*\*|\/\/)/.test(text)) {
      const fix = "open it with one sentence on what it is";
      findings.push({ level: "error", file, problem: "does not say what it is", fix });
    }
  }
  for (const room of rooms) {
    if (tree.has(`src/${room}/README.md`)) continue;
    const fix = "write a dozen lines: the sentence, what it may import, where to start reading, how to add one more";
    findings.push({ level: "error", file: `src/${room}/README.md`, problem: "the room has no README", fix });
  }
  return findings;
}

/** Looks at what is written as code or as a link and has the form of a path to a file of ours. */
function missingFilesInDocs(tree: Tree): Finding[] {
  const files = [...tree.keys()];
  const names = new Set(files.map((file) => posix.basename(file)));
  const isThere = (file: string, path: string) => {
    const places = [posix.join(posix.dirname(file), path), path, posix.join("src", path)].map((place) =>
      posix.normalize(place).replace(/\/$/, ""),
    );
    if (places.some((place) => tree.has(place) || files.some((other) => other.startsWith(`${place}/`)))) return true;
    return path.includes("/") ? files.some((other) => other.endsWith(`/${path}`)) : names.has(path);
  };
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
      const fix = "name the file that holds it now, or remove the sentence";
      findings.push({ level: "error", file, problem: `names ${path}, which does not exist`, fix });
    }
  }
  return findings;
}

function bareTodos(tree: Tree): Finding[] {
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

function longFiles(tree: Tree): Finding[] {
  return [...tree]
    .filter(([file, text]) => isSource(file) && text.split("\n").length > longFileLines)
    .map(([file, text]) => ({
      level: "warning",
      file,
      problem: `has ${text.split("\n").length} lines`,
      fix: "look for the second subject; it usually has a name already",
    }));
}

/** What operators must know; the limits of single kinds are told by validation, and a test compares the values. */
function limitsWithoutRow(tree: Tree): Finding[] {
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

const goldenForms = ["json", "yaml", "pb.hex", "table.json"];

/** A kind is declared where `kind(` or `version(` makes the value of its name; its golden files have the same path. */
function kindsWithoutGoldens(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const path = /^src\/api\/([\w-]+\/\w+\/[\w-]+)\.ts$/.exec(file)?.[1];
    if (path === undefined || testFile.test(file) || !/^export const \w+ = (kind|version)\(/m.test(text)) continue;
    const missing = goldenForms.filter((form) => !tree.has(`test/golden/${path}.${form}`));
    if (missing.length === 0) continue;
    const fix = "run npm run golden, read the files and commit them";
    findings.push({ level: "error", file, problem: `has no golden file in ${missing.join(", ")}`, fix });
  }
  return findings;
}

/** What could turn a text into code or a command, or let requests through that two parsers read differently. */
const dangerous = /\beval\(|\bnew Function\(|["'](node:)?(vm|child_process)["']|\binsecureHTTPParser\b/;
/** Programs that tests start: they kill stores on purpose. */
const crashPrograms = /^src\/kv\/embedded\/crash\//;
/** What a user runs on their own machine starts their editor, their plugins and their credential programs; systemd is told by its own. */
const startsPrograms =
  /^src\/(client\/config\/exec-plugin|ctl\/plugins|ctl\/editor|ctl\/external-diff|main\/commands\/run|main\/commands\/background|main\/commands\/notify-systemd)\.ts$/;

function codeFromInput(tree: Tree): Finding[] {
  return [...tree].flatMap(([file, text]) => {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file) || crashPrograms.test(file)) return [];
    if (startsPrograms.test(file)) return [];
    const found = dangerous.exec(text)?.[0];
    const fix = "a server makes no code and no commands of what it is given; find another way";
    return found === undefined ? [] : [{ level: "error" as const, file, problem: `uses ${found}`, fix }];
  });
}

/** Who may write past admission, or past the rules of a kind: the one file for each purpose of src/registry/server-writes.ts. */
const skippingWriters: Readonly<Record<string, string>> = {
  "a charged quota": "src/admission/plugins/resource-quota.ts",
  "an eviction": "src/strategies/pods/eviction.ts",
  "endpoints of a deleted service": "src/strategies/services/endpoints.ts",
  "objects of a deleted definition": "src/upkeep/definition-cleanup.ts",
  "a binding": "src/strategies/pods/binding.ts",
};
const serverWritesFile = "src/registry/server-writes.ts";

function uncheckedWrites(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  const purposes =
    tree.get(serverWritesFile)?.matchAll(/^ {2}"?([\w ]+)"?: \{[^}]*\bskip(?:Admission|Rules)\b/gm) ?? [];
  for (const [, purpose = ""] of purposes) {
    if (Object.hasOwn(skippingWriters, purpose)) continue;
    const fix = "let the write be judged, or name the one file that may do it in skippingWriters of scripts/tidy.ts";
    findings.push({ level: "error", file: serverWritesFile, problem: `"${purpose}" skips a check`, fix });
  }
  for (const [file, text] of tree) {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file) || file === serverWritesFile) continue;
    if (/\bskip(?:Admission|Rules)\s*:/.test(text)) {
      const fix = `write with serverWrites of ${serverWritesFile}, which says for what`;
      findings.push({ level: "error", file, problem: "writes past admission or past the rules of a kind", fix });
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

function dependencies(tree: Tree): Finding[] {
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

function lockFile(tree: Tree): Finding[] {
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
      const fix = "run npm install again, with a registry that tells hashes";
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

const skippedFolders = new Set([".git", "node_modules", "dist", ".cache", "coverage", "results", "golden", ".orch"]);

/** All text files of the repository that the rules look at. */
function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(posix.join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) visit(path);
      } else if (/\.(ts|mjs|md|json|svg|py|sh|go)$/.test(entry.name) || folder === "bin") {
        tree.set(path, readFileSync(posix.join(root, path), "utf8"));
      }
    }
  };
  visit("");
  // Of golden files only the names matter.
  const golden = "test/golden";
  const names = existsSync(posix.join(root, golden)) ? readdirSync(posix.join(root, golden), { recursive: true }) : [];
  for (const name of names) tree.set(posix.join(golden, String(name).replaceAll("\\", "/")), "");
  for (const name of ["LICENSE", ".npmrc", ".ci/run"]) tree.set(name, "");
  return tree;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = inspect(readTree(process.cwd()));
  for (const { level, file, problem, fix } of findings) console.log(`${level}: ${file}: ${problem}\n  -> ${fix}`);
  const errors = findings.filter((finding) => finding.level === "error").length;
  console.log(errors === 0 ? "tidy: the house is in order" : `tidy: ${errors} to fix`);
  process.exitCode = errors === 0 ? 0 : 1;
}
