/**
 * `orch/client` as modules for bundlers: one for Node, one for browsers. What a program does not use falls out of its bundle, which needs two
 * things: nothing may happen when the module is loaded, and a bundler must see that.
 */

import { builtinModules, createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** `browser`: with the files named `*-in-browser.ts` in place of those that they are named after, and without modules of Node. */
export const moduleFormOptions = (root, browser) => ({
  entryPoints: { [browser ? "client-in-browser" : "client"]: join(root, "src/kit/orch-client.ts") },
  outdir: join(root, "dist/module"),
  bundle: true,
  format: "esm",
  platform: browser ? "browser" : "node",
  target: browser ? "es2022" : "node20.19",
  // Bundlers make it smaller themselves, and read the comments.
  minify: false,
  keepNames: false,
  // Installed by those who trace; bundlers leave out what is loaded in a "try" and is not there.
  external: ["@opentelemetry/api"],
  plugins: browser ? [inBrowser, withoutNode] : [],
});

const throwing = (path) =>
  `const missing = (name) => function () { throw new Error("a browser has no " + name + " of ${path}"); };`;

const twins = ["open-fetch", "process", "forward", "copy"];
const inBrowser = {
  name: "in-browser",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.ts$/ }, ({ path, importer }) => {
      const name = basename(path, ".ts");
      if (!twins.includes(name) || importer.endsWith("-in-browser.ts")) return undefined;
      return { path: join(dirname(importer), dirname(path), `${name}-in-browser.ts`) };
    }),
};

/** A module of Node is one whose functions say that they are not there: what needs it fails when it is called, not when it is loaded. */
const withoutNode = {
  name: "without-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "without-node", sideEffects: false }));
    onLoad({ filter: /.*/, namespace: "without-node" }, ({ path }) => {
      if (!builtinModules.includes(path.slice("node:".length))) return undefined;
      const names = Object.keys(createRequire(import.meta.url)(path)).filter((name) => /^[a-zA-Z_$][\w$]*$/.test(name));
      // What is loaded later is missing later.
      if (path === "node:module")
        return { contents: `${throwing(path)}\nexport const createRequire = () => missing("module");` };
      const missing = names.map(
        (name) => `export const ${name === "default" ? "_default" : name} = /* @__PURE__ */ missing("${name}");`,
      );
      return {
        contents: `${throwing(path)}\n${missing.join("\n")}`,
      };
    });
  },
};

/** Values that a bundler can see to be harmless: functions, classes, plain literals. */
const harmless = /^(?:(?:async |function|class |["'`]|true\b|false\b|null\b|\/(?!\*)|\([^()]*\) =>|\w+ =>)|-?[\d.]+$)/;

/** Marks what is computed when the module is loaded as unneeded unless it is used. esbuild begins each statement in the first column. */
export function markPure(text) {
  const out = [];
  let declared;
  const end = () => {
    if (declared === undefined) return;
    const [, name, value] = /^var ([\w$]+) = ([\s\S]*);$/.exec(declared.join("\n")) ?? [];
    const isPlain = name === undefined || harmless.test(value);
    out.push(isPlain ? declared.join("\n") : `var ${name} = /* @__PURE__ */ (() => (${value}))();`);
    declared = undefined;
  };
  for (const line of text.split("\n")) {
    const begins = /^[^\s)}\]]/.test(line);
    if (begins) end();
    if (begins && /^var [\w$]+ = /.test(line)) declared = [line];
    else if (declared !== undefined) declared.push(line);
    else out.push(line);
    if (declared !== undefined && line.endsWith(";") && (declared.length === 1 || /^[)}\]]/.test(line))) end();
  }
  end();
  return spacesMarked(out.join("\n"));
}

/** `export * as name` is an object that a call fills. */
function spacesMarked(text) {
  return text.replace(
    /^var ([\w$]+) = \/\* @__PURE__ \*\/ \(\(\) => \(\{\}\)\)\(\);\n__export\(\1, (\{[\s\S]*?^\})\);$/gm,
    (_, name, members) =>
      `var ${name} = /* @__PURE__ */ (() => {\n  const space = {};\n  __export(space, ${members});\n  return space;\n})();`,
  );
}
