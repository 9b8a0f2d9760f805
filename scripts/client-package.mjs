/**
 * `orch-client`: what `orch/client` and `orch/types` are, as a package without the server and its dependencies. It is made of what
 * `node scripts/build.mjs --types` has built:
 *
 *   node scripts/client-package.mjs [FOLDER]    writes FOLDER/orch-client-VERSION.tgz; default: this folder
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const built = [
  ...["client.cjs", "client.js", "client.d.ts", "client.d.cts", "client-plain.cjs", "shared.d.ts", "module"],
  ...["object-types.cjs", "object-types.js", "object-types.d.ts", "object-types.d.cts"],
];

/** Returns the path of the archive. */
export function packClient(destination) {
  const folder = join(root, ".cache/orch-client");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "dist"), { recursive: true });
  for (const name of built) {
    const from = join(root, "dist", name);
    if (!existsSync(from)) throw new Error(`there is no dist/${name}; run: node scripts/build.mjs --types`);
    cpSync(from, join(folder, "dist", name), { recursive: true });
  }
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "README.md"), readme);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(description(), null, 2)}\n`);
  mkdirSync(destination, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", `--pack-destination=${destination}`];
  const made = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`npm pack failed: ${made.stderr}`);
  return join(destination, `orch-client-${description().version}.tgz`);
}

function description() {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { version, license, type, sideEffects, engines, exports } = own;
  const peer = "@opentelemetry/api";
  return {
    name: "orch-client",
    version,
    description:
      "Typed clients, informers, controllers, resources and webhooks for servers with the resource model of Kubernetes",
    license,
    type,
    sideEffects,
    engines,
    main: "./dist/client.cjs",
    types: "./dist/client.d.cts",
    typesVersions: { "*": { types: own.typesVersions["*"].types } },
    exports: { ".": exports["./client"], "./types": exports["./types"] },
    files: ["dist"],
    peerDependencies: { [peer]: own.peerDependencies[peer] },
    peerDependenciesMeta: { [peer]: own.peerDependenciesMeta[peer] },
  };
}

const readme = `# orch-client

What \`orch/client\` of the package \`orch\` is, without the server: \`import { connect } from "orch-client"\`. It has no dependencies. The docs are in
the package \`orch\`: \`docs/building.md\`, \`docs/api/orch-client.md\`.
`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(packClient(resolve(process.argv[2] ?? ".")));
