#!/usr/bin/env node
// The command line as users run it: starts the built program, or says how to build it. CommonJS, because Node loads it in less time.
require("./node-version.cjs");
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { loadCompiled } = require("./compiled.cjs");

async function start() {
  const program = join(__dirname, "../dist/ctl.js");
  if (!existsSync(program)) {
    console.error("ctl is not built yet; run: npm ci && npm run build");
    process.exitCode = 1;
    return;
  }
  const { mainCtl } = loadCompiled("ctl") ?? (await import(pathToFileURL(program).href));
  const loadLibrary = async () => require("../dist/library.cjs");
  await mainCtl(process.argv.slice(2), {
    calledAs: process.argv[1] ?? "ctl",
    consoleFolder: join(__dirname, "../dist/console"),
    loadLibrary,
  });
}

start();
