/**
 * What a package says about the work of others in it: `dist/THIRD-PARTY-LICENSES.txt` with the licence of every package that is bundled or
 * installed with it, and `dist/sbom.cdx.json`, the same as a CycloneDX document that npm writes.
 */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Packages of the development that end up in what is built: the page of the console is made with it. */
const bundled = ["preact"];

/** Name, version, licence and its text of all packages whose code users get. Those of other machines have no text here. */
export function licensedPackages() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .map(([path, entry]) => ({ path, name: path.replace(/^.*node_modules\//, ""), ...entry }))
    .filter(({ path, name, dev, devOptional }) => path !== "" && (!(dev || devOptional) || bundled.includes(name)))
    .map(({ path, name, version, license }) => ({ name, version, license, text: textOf(join(root, path)) }));
}

function textOf(folder) {
  try {
    const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$|-)/i.test(name));
    return file === undefined ? undefined : readFileSync(join(folder, file), "utf8").trim();
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function licensesText() {
  const rule = "-".repeat(80);
  const parts = licensedPackages().map(({ name, version, license, text }) =>
    [rule, `${name} ${version} (${license})`, rule, "", text ?? "The package has no text of its licence.", ""].join(
      "\n",
    ),
  );
  return ["orch contains or is installed with these packages.", "", ...parts].join("\n");
}

/** Without where this machine gets its packages from. */
export function billOfMaterials() {
  const args = ["sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only"];
  const made = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`npm sbom failed: ${made.stderr}`);
  const bill = JSON.parse(made.stdout);
  bill.metadata.component.name = "orch";
  for (const component of [bill.metadata.component, ...bill.components]) component.externalReferences = [];
  // npm leaves out what the development needs in another version as well, and does not know what is bundled.
  const isNamed = new Set(bill.components.map(({ name }) => name));
  for (const { name, version, license } of licensedPackages().filter(({ name }) => !isNamed.has(name)))
    bill.components.push({
      "bom-ref": `${name}@${version}`,
      type: "library",
      name,
      version,
      scope: "required",
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      licenses: [{ license: { id: license } }],
    });
  return bill;
}

export function writeLicenses(outdir) {
  writeFileSync(join(outdir, "THIRD-PARTY-LICENSES.txt"), licensesText());
  writeFileSync(join(outdir, "sbom.cdx.json"), `${JSON.stringify(billOfMaterials(), undefined, 1)}\n`);
}
