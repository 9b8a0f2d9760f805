#!/usr/bin/env node
// The command line as users run it: starts the built program, or says how to build it.
import { existsSync } from "node:fs";
import { loadCompiled } from "./compiled.cjs";

const program = new URL("../dist/ctl.js", import.meta.url);
if (existsSync(program)) {
  const { mainCtl } = loadCompiled("ctl") ?? (await import(program.href));
  const loadLibrary = () => import(new URL("../dist/library.js", import.meta.url).href);
  await mainCtl(process.argv.slice(2), { calledAs: process.argv[1] ?? "ctl", loadLibrary });
} else {
  console.error("ctl is not built yet; run: npm ci && npm run build");
  process.exitCode = 1;
}
