// The command as users run it: starts the built program, or says how to build it.
import { existsSync } from "node:fs";
import { loadCompiled } from "./compiled.cjs";

const program = new URL("../dist/orch.js", import.meta.url);
if (existsSync(program)) {
  const { main } = loadCompiled() ?? (await import(program.href));
  await main(process.argv.slice(2));
} else {
  console.error("orch is not built yet; run: npm ci && npm run build");
  process.exitCode = 1;
}
