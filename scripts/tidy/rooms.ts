/** Rules about rooms: who imports whom, files without a use, vague names. */

import { posix } from "node:path";
import { type Finding, importsOf, isSource, roomOf, type Tree, testFile } from "./tree.ts";

/**
 * Which rooms a room may import; "kv/contract.ts" and "registry/contract/" allow the contract of a room alone. Two absences carry the design: machinery,
 * registry and http never import api, and controllers and ctl never import server rooms.
 */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  vocabulary: [],
  base: [],
  kv: ["base"],
  metrics: ["base"],
  machinery: ["base", "vocabulary"],
  cel: ["machinery", "base"],
  api: ["cel", "machinery", "base", "vocabulary"],
  client: ["machinery", "metrics", "base", "vocabulary"],
  // From api only types: a test looks at what the bundle contains.
  kit: ["client", "api", "machinery", "metrics", "base", "vocabulary"],
  registry: ["kv/contract.ts", "machinery", "metrics", "base", "vocabulary"],
  authn: ["registry/contract/", "api", "machinery", "metrics", "base", "vocabulary"],
  authz: ["registry/contract/", "api", "machinery", "metrics", "base", "vocabulary"],
  admission: ["registry/contract/", "authz", "api", "cel", "machinery", "metrics", "base", "vocabulary"],
  actions: ["registry/contract/", "authn", "authz", "api", "machinery", "base", "vocabulary"],
  extensions: ["registry/contract/", "http/contract/", "api", "cel", "machinery", "metrics", "base", "vocabulary"],
  upkeep: ["registry/contract/", "authz", "api", "machinery", "base", "vocabulary"],
  encryption: ["registry/contract/", "kv/contract.ts", "machinery", "metrics", "base", "vocabulary"],
  audit: ["machinery", "metrics", "base", "vocabulary"],
  history: [
    "registry/contract/",
    "registry/keys.ts",
    "kv/contract.ts",
    "authz/contract.ts",
    "api",
    "machinery",
    "base",
    "vocabulary",
  ],
  queries: ["registry/contract/", "http/contract/", "cel", "machinery", "base", "vocabulary"],
  flowcontrol: ["registry/contract/", "authz/contract.ts", "api", "machinery", "metrics", "base", "vocabulary"],
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
  scheduler: ["controllers", "client", "api", "machinery", "base", "vocabulary"],
  simulation: ["controllers", "client", "api", "machinery", "base", "vocabulary"],
  operations: ["client", "machinery", "base", "vocabulary"],
  ctl: ["operations", "cel", "client", "api", "machinery", "base", "vocabulary"],
  console: ["operations", "client", "machinery", "base", "vocabulary"],
  testkit: ["registry/contract/", "http/contract/", "machinery", "base", "vocabulary"],
  testing: ["main", "client", "api", "machinery", "base", "vocabulary", "kv"],
};

/** Entry points of programs, which no file imports. */
const entryFiles =
  /^(src\/main\/(cli|ctl|library|testing)\.ts|src\/kit\/orch-client\.ts|src\/console\/main\.tsx|scripts\/|bench\/|examples\/|test\/|vitest\.config\.ts)/;

const vagueFolders = new Set(["util", "utils", "common", "helpers", "shared"]);

export function importDirection(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    const room = roomOf(file);
    // Tests may bring rooms together: what they import is not part of the program.
    if (room === undefined || room === "main" || !isSource(file) || testFile.test(file)) continue;
    const allowed = allowedImports[room];
    if (allowed === undefined) {
      const fix = "add the room to allowedImports in scripts/tidy/rooms.ts, with the rooms it may import";
      findings.push({ level: "error", file, problem: `src/${room} is not a room we know`, fix });
      continue;
    }
    for (const target of importsOf(file, text)) {
      if (file.startsWith("src/http/handlers/") && target.startsWith("src/http/filters/")) {
        const fix = "filters come before handlers and know none; put what both need into another folder of src/http";
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

/** What the build puts a file in place of, for browsers: `*-in-browser.ts`. */
const replacedBy = (file: string) => file.replace(/-in-browser\.ts$/, ".ts");

/** A file may also be named where it is started as a process of its own: `new URL("./writer.ts", import.meta.url)`. */
export function unusedFiles(tree: Tree): Finding[] {
  const used = new Set<string>();
  for (const [file, text] of tree) {
    for (const match of isSource(file) ? text.matchAll(/"(?:\.\/)?([\w-]+\.ts)"/g) : []) {
      used.add(posix.join(posix.dirname(file), match[1] ?? ""));
    }
    for (const match of isSource(file) ? text.matchAll(/"(src\/[\w/-]+\.ts)"/g) : []) used.add(match[1] ?? "");
  }
  for (const [file, text] of tree)
    if (/\.(tsx?|mjs)$/.test(file)) for (const target of importsOf(file, text)) used.add(target);
  const fix = "delete it, or import it where it belongs";
  return [...tree.keys()]
    .filter((file) => isSource(file) && !testFile.test(file) && !entryFiles.test(file) && !used.has(replacedBy(file)))
    .map((file) => ({ level: "error", file, problem: "no file imports this one", fix }));
}

export function houseRules(tree: Tree): Finding[] {
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
    const readme = tree.get(`src/${room}/README.md`);
    if (readme !== undefined && /\bmay import\b/i.test(readme)) {
      const fix = "leave it out: allowedImports of scripts/tidy/rooms.ts has it, and is checked";
      findings.push({
        level: "error",
        file: `src/${room}/README.md`,
        problem: "repeats what the room may import",
        fix,
      });
    }
    if (readme !== undefined) continue;
    const fix = "write a dozen lines: the sentence, where to start reading, how to add one more";
    findings.push({ level: "error", file: `src/${room}/README.md`, problem: "the room has no README", fix });
  }
  return findings;
}
