/**
 * Builds what is run, with esbuild: the commands and the library into dist/, and our own tools into .cache/.
 *
 *   node scripts/build.mjs                       build dist/, and compile the commands ahead
 *   node scripts/build.mjs --if-stale            only when dist/ is missing or older than the sources
 *   node scripts/build.mjs --types               and the declarations that users of the library see
 *   node scripts/build.mjs --package             what a package holds: with declarations, without what is compiled ahead
 *   node scripts/build.mjs --docs                the site of the docs alone
 *   node scripts/build.mjs --golden-types        what the package declares, into test/golden/types/
 *   node scripts/build.mjs --script NAME [args]  bundle scripts/NAME.ts or bench/NAME.ts and run it
 */

import { isAscii } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleLmdb } from "./bundle-lmdb.mjs";
import { markPure, moduleFormOptions } from "./module-form.mjs";
import { packageTypes, withoutComments } from "./package-types/package-types.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** These stay packages: lmdb searches for its binary beside itself, others are installed by those who use them. */
const external = ["lmdb", "pg", "@opentelemetry/api"];

/** How long chunks of earlier builds stay, so that a server which still runs can load its lazy parts. */
const staleChunkMs = 10 * 60_000;

/** What scripts/initial-objects.ts prints. */
let initialObjects = "";

async function recordInitialObjects() {
  const made = spawnSync(process.execPath, [await bundleScript("initial-objects")], { cwd: root, encoding: "utf8" });
  if (made.status !== 0) fail(`the initial objects cannot be recorded: ${made.stderr}`);
  initialObjects = made.stdout;
}

/** `clean`: for a package, which must hold nothing that an earlier build left. */
async function buildDist({ clean = false } = {}) {
  const { build } = await import("esbuild");
  const outdir = join(root, "dist");
  const result = await build({
    ...common(),
    entryPoints: {
      orch: join(root, "src/main/cli.ts"),
      ctl: join(root, "src/main/ctl.ts"),
    },
    outdir,
    splitting: true,
    format: "esm",
    chunkNames: "chunks/[name]-[hash]",
    metafile: true,
    write: false,
  });
  mkdirSync(join(outdir, "chunks"), { recursive: true });
  const entries = [];
  for (const file of result.outputFiles) {
    if (file.path.startsWith(join(outdir, "chunks"))) writeFileSync(file.path, file.contents);
    else entries.push(file);
  }
  // The entries come last, so that a reader never sees one whose chunks are missing.
  for (const file of entries) writeFileSync(file.path, file.contents);
  await build({
    ...commonjs(),
    entryPoints: { "library-plain": join(root, "src/main/library.ts") },
    outdir,
    outExtension: { ".js": ".cjs" },
  });
  const names = Object.keys(createRequire(import.meta.url)(join(outdir, "library-plain.cjs"))).sort();
  for (const [name, text] of Object.entries(libraryTexts(names))) writeFileSync(join(outdir, name), text);
  await buildClient(outdir);
  await buildTesting(outdir);
  removeOldChunks(
    join(outdir, "chunks"),
    new Set(result.outputFiles.map((file) => file.path)),
    clean ? 0 : staleChunkMs,
  );
}

/** The page of `ctl console`. `isRequired`: a package must have it. */
async function buildConsole({ isRequired = false } = {}) {
  if (!hasPackage("preact")) {
    if (isRequired) fail("the console needs preact; run: npm ci");
    console.warn("the console is not built, because preact is not installed; run: npm ci");
    return;
  }
  const { build } = await import("esbuild");
  const source = join(root, "src/console");
  const outdir = join(root, "dist/console");
  await build({
    entryPoints: { app: join(source, "main.tsx") },
    outdir,
    bundle: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    minify: true,
    charset: "utf8",
    tsconfig: join(source, "tsconfig.json"),
    logLevel: "warning",
  });
  await build({ entryPoints: [join(source, "app.css")], outdir, bundle: true, minify: true, logLevel: "warning" });
  for (const name of ["index.html", "icon.svg"]) copyFileSync(join(source, name), join(outdir, name));
  await buildDocs();
}

/** The docs as a site, which the console shows as well. */
async function buildDocs() {
  const { buildSite } = await import("./site/build-site.mjs");
  const outdir = join(root, "dist/console/docs");
  buildSite(outdir);
  return join(outdir, "index.html");
}

/**
 * What \`require("orch")\` and \`import "orch"\` load. Both are the same program, and neither waits while it loads, because
 * CommonJS cannot. `names` are those that src/main/library.ts exports beside types.
 */
const libraryTexts = (names) => ({
  "library.cjs": `const { loadCompiled } = require("../bin/compiled.cjs");
const { ${names.join(", ")} } = loadCompiled()?.loadLibrary() ?? require("./library-plain.cjs");
module.exports = { ${names.join(", ")} };
`,
  "library.js": `import library from "./library.cjs";
export const { ${names.join(", ")} } = library;
`,
  "library.d.cts": `import type * as library from "./library.js" with { "resolution-mode": "import" };
export type * from "./library.js" with { "resolution-mode": "import" };
${names
  .map((name) =>
    [
      `export declare const ${name}: typeof library.${name};\n`,
      // A class is a type as well, which the constant of the same name would hide.
      /^[A-Z]/.test(name) ? `export type ${name} = library.${name};\n` : "",
    ].join(""),
  )
  .join("")}`,
});

/** `orch/client`: one file without server code, and two modules for bundlers. */
async function buildClient(outdir) {
  await buildEntry(outdir, { name: "client", source: "src/kit/orch-client.ts" });
  const { build } = await import("esbuild");
  mkdirSync(join(outdir, "module"), { recursive: true });
  const { define, logLevel } = common();
  for (const browser of [false, true]) {
    const { outputFiles } = await build({ ...moduleFormOptions(root, browser), write: false, define, logLevel });
    for (const { path, text } of outputFiles) writeFileSync(path, markPure(text));
  }
}

/** `orch/testing`: servers come from the library, so that a program which uses both has one of it. */
const buildTesting = (outdir) =>
  buildEntry(outdir, { name: "testing", source: "src/main/testing.ts", plugins: [externalLibrary] });

const externalLibrary = {
  name: "external-library",
  setup: ({ onResolve }) => onResolve({ filter: /\/library\.ts$/ }, () => ({ path: "./library.cjs", external: true })),
};

/** One file of CommonJS, and its forms for ESM and for types. What it exports is read from it. */
async function buildEntry(outdir, { name, source, plugins = [] }) {
  const { build } = await import("esbuild");
  const outfile = join(outdir, `${name}-plain.cjs`);
  await build({ ...commonjs(), entryPoints: [join(root, source)], outfile, plugins });
  const names = Object.keys(createRequire(import.meta.url)(outfile)).sort();
  // In two steps: an import of CommonJS makes Node look for the names of its exports, which takes longer than loading it.
  const both = `const ${name} = require("./${name}-plain.cjs");\nmodule.exports = ${name};\n`;
  writeFileSync(join(outdir, `${name}.cjs`), both);
  writeFileSync(
    join(outdir, `${name}.js`),
    `import ${name} from "./${name}.cjs";\nexport const { ${names.join(", ")} } = ${name};\n`,
  );
  // A kind and a class are a type as well, which the constant of the same name would hide.
  const declared = names.map((each) =>
    [
      `export declare const ${each}: typeof ${name}.${each};\n`,
      /^[A-Z]/.test(each) ? `export type ${each} = ${name}.${each};\n` : "",
    ].join(""),
  );
  writeFileSync(
    join(outdir, `${name}.d.cts`),
    `import type * as ${name} from "./${name}.js" with { "resolution-mode": "import" };
export type * from "./${name}.js" with { "resolution-mode": "import" };
${declared.join("")}`,
  );
}

function commonjs() {
  const { define, ...others } = common();
  return {
    ...others,
    format: "cjs",
    // Compiled code that is read back cannot import; what is loaded late must be required.
    supported: { "dynamic-import": false },
    define: { ...define, "import.meta.url": "ownUrl" },
    banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
  };
}

function common() {
  return {
    bundle: true,
    platform: "node",
    target: "node20.19",
    sourcemap: "linked",
    // Half of a start is reading our own code: less text, sooner ready. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcesContent: false,
    // Node prints the whole line of an error that is not caught.
    lineLimit: 200,
    // Named exports of packages that have no "exports": their older form would only have a default one.
    mainFields: ["module", "main"],
    external,
    define: { ORCH_VERSION: JSON.stringify(packageVersion()), INITIAL_OBJECTS: JSON.stringify(initialObjects) },
    logLevel: "warning",
  };
}

/** What each program exports, in one text that V8 can keep compiled; see bin/compiled.cjs. Without it they work as well. */
const programs = {
  // Commands do not need what only the library needs, above all the controllers, so it is evaluated on request.
  orch: `export { main } from "./src/main/cli.ts"; export const loadLibrary = () => require("./src/main/library.ts");`,
  ctl: 'export { mainCtl } from "./src/main/ctl.ts";',
};

async function buildCompiled() {
  const { build } = await import("esbuild");
  const folder = join(root, "dist/compiled");
  rmSync(folder, { recursive: true, force: true });
  for (const [name, contents] of Object.entries(programs)) {
    const outfile = join(folder, `${name}.cjs`);
    const stdin = { contents, resolveDir: root };
    await build({
      ...commonjs(),
      external: external.filter((name) => name !== "lmdb"),
      plugins: [bundleLmdb],
      stdin,
      outfile,
    });
    const text = readFileSync(outfile);
    if (/[^.\w]import\(/.test(text.toString())) fail(`${outfile} imports as it runs`);
    // esbuild escapes other characters in texts, but not in regular expressions.
    if (!isAscii(text))
      fail(`${outfile} is not ASCII, and would be read slowly: escape what is not in regular expressions`);
    const args = [join(root, "scripts/compile.mjs"), name];
    const made = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    if (made.status !== 0) console.warn(`${name} is not compiled ahead and will start a little slower: ${made.stderr}`);
  }
}

function removeOldChunks(folder, current, ageMs) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!current.has(path) && Date.now() - statSync(path).mtimeMs > ageMs) rmSync(path, { force: true });
  }
}

function packageVersion() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
}

function isStale() {
  const built = join(root, "dist/orch.js");
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  const newer = (path) => statSync(path).mtimeMs > builtAt;
  return newer(join(root, "package.json")) || newer(join(root, "scripts/build.mjs")) || sources().some(newer);
}

function sources() {
  return readdirSync(join(root, "src"), { recursive: true })
    .filter((name) => /\.(ts|tsx|css|html)$/.test(name) && !name.endsWith(".test.ts"))
    .map((name) => join(root, "src", name));
}

/** What the compiler declares for each source. `npm run check` has checked the sources; only what they declare is of interest here. */
function declareTypes() {
  const folder = join(root, ".cache/types");
  rmSync(folder, { recursive: true, force: true });
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--noCheck"]);
  return packageTypes(root, folder);
}

async function buildTypes() {
  const made = spawnSync(process.execPath, [await bundleScript("object-types")], { cwd: root, encoding: "utf8" });
  if (made.status !== 0) fail(`the types of objects cannot be written: ${made.stderr}`);
  const write = (name, text) => writeFileSync(join(root, "dist", name), text);
  // `orch/types`: the types of built-in objects with their documentation, which the kinds of `orch` and `orch/client` have as well.
  write("object-types.d.ts", made.stdout);
  write("object-types.d.cts", made.stdout);
  write("object-types.js", "export {};\n");
  write("object-types.cjs", "module.exports = {};\n");
  for (const [name, text] of declareTypes()) write(name, text);
}

/** What a reader of a change sees: each exported type, without comments. */
function writeGoldenTypes() {
  const folder = join(root, "test/golden/types");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of declareTypes()) writeFileSync(join(folder, name), withoutComments(text));
}

/** Runs one of our tools in this folder; its exit code becomes ours. */
async function runScript(name, args) {
  run(process.execPath, ["--enable-source-maps", await bundleScript(name), ...args]);
}

/** Bundles one of our tools, and returns its file. */
async function bundleScript(name) {
  const source = ["scripts", "bench"]
    .map((folder) => join(root, folder, `${name}.ts`))
    .find((path) => existsSync(path));
  if (source === undefined) fail(`there is no scripts/${name}.ts and no bench/${name}.ts`);
  const { build } = await import("esbuild");
  const outfile = join(root, ".cache/scripts", `${name}.mjs`);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: "inline",
    define: { ORCH_VERSION: JSON.stringify(packageVersion()) },
    logLevel: "warning",
  });
  return outfile;
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

const knownArguments = ["--if-stale", "--types", "--package", "--docs", "--golden-types"];

async function main(args) {
  if (!hasPackage("esbuild")) fail("the packages are not installed yet; run: npm ci");
  const at = args.indexOf("--script");
  const own = at < 0 ? args : args.slice(0, at);
  const unknown = own.find((arg) => !knownArguments.includes(arg));
  if (unknown !== undefined)
    fail(`unknown argument ${unknown}; known are ${knownArguments.join(", ")} and --script NAME [args]`);
  const isPackage = own.includes("--package");
  const withTypes = isPackage || own.includes("--types");

  if (own.includes("--docs")) {
    step(`the docs are at ${await buildDocs()}`);
    return;
  }
  if (own.includes("--golden-types")) {
    writeGoldenTypes();
    return;
  }
  if (at < 0 || own.includes("--if-stale")) {
    if (!own.includes("--if-stale") || isStale()) {
      step("1/4 recording the objects of a new store");
      await recordInitialObjects();
      step("2/4 bundling the commands and the library into dist/");
      await buildDist({ clean: withTypes });
      step("3/4 building the console, and the site of the docs");
      await buildConsole({ isRequired: withTypes });
      if (isPackage) step("4/4 left out: machines compile a package for themselves");
      else {
        step("4/4 compiling the commands ahead, so that they start sooner");
        await buildCompiled();
      }
    }
  }
  if (isPackage) (await import("./licenses.mjs")).writeLicenses(join(root, "dist"));
  if (withTypes) {
    step("writing the types");
    await buildTypes();
  }
  if (at >= 0) {
    const [name, ...rest] = args.slice(at + 1);
    if (name === undefined) fail("--script needs the name of a file in scripts/ or bench/");
    await runScript(name, rest[0] === "--" ? rest.slice(1) : rest);
  }
}

/** To the error output, because what a script prints may be read by a program. */
function step(text) {
  console.error(`build: ${text}`);
}

function hasPackage(name) {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

await main(process.argv.slice(2));
