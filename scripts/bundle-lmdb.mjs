/**
 * Puts the text of LMDB into the compiled program, where V8 keeps it compiled too: reading the package's files takes twelve times as long
 * as loading its native part. That part stays where the package is installed.
 */

import { readFileSync } from "node:fs";

/** The package searches for its native part beside this file. */
const ownFile = `const installedFile = require("node:module").createRequire(__filename).resolve("lmdb");\n`;

/** LMDB would encode values with it, but the embedded store writes bytes. */
const noEncoder = `exports.Encoder = class {
  constructor() {
    throw new Error("the embedded store encodes its values itself");
  }
};`;

/** Only a system that names its C library nowhere is asked by commands; otherwise that module would be 4 ms of a start. */
const requiredEarly = "const childProcess = require('child_process');";
const requiredLate = `const childProcess = {
  exec: (...given) => require("child_process").exec(...given),
  execSync: (...given) => require("child_process").execSync(...given),
};`;

export const bundleLmdb = {
  name: "lmdb inside",
  setup(build) {
    build.onLoad({ filter: /[\\/]kv[\\/]embedded[\\/]lmdb-package\.ts$/ }, () => ({
      contents: 'export const requireLmdb = () => require("lmdb");',
    }));
    build.onLoad({ filter: /[\\/]lmdb[\\/]dist[\\/]index\.cjs$/ }, ({ path }) => ({
      contents: ownFile + readFileSync(path, "utf8").replaceAll("__filename", "installedFile"),
    }));
    build.onLoad({ filter: /[\\/]detect-libc[\\/]lib[\\/]detect-libc\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes(requiredEarly)) throw new Error(`${path} requires child_process in another way than before`);
      return { contents: text.replace(requiredEarly, requiredLate) };
    });
    build.onResolve({ filter: /^msgpackr$/ }, ({ path }) => ({ path, namespace: "no-encoder" }));
    build.onLoad({ filter: /.*/, namespace: "no-encoder" }, () => ({ contents: noEncoder }));
  },
};
