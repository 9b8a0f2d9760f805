// The command as users run it: starts the built program, or says how to build it. CommonJS, because Node loads it in less time.
require("./node-version.cjs");
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { loadCompiled } = require("./compiled.cjs");

async function start() {
  const program = join(__dirname, "../dist/orch.js");
  if (!existsSync(program)) {
    console.error("orch is not built yet; run: npm ci && npm run build");
    process.exitCode = 1;
    return;
  }
  const { main } = loadCompiled() ?? (await import(pathToFileURL(program).href));
  await main(process.argv.slice(2));
}

start();
