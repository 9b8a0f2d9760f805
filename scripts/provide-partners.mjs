/**
 * Gets the reference's own libraries, with the Go that builds them and kustomize, into .cache/partners: what the comparisons in
 * test/partners need. Nothing is installed: Debian's newest suite is asked with lists of our own, and its packages are only unpacked.
 *
 *   node scripts/provide-partners.mjs     (Debian, about 2.7 GB; `npm run test:all` does it too)
 */

import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackFromDebian } from "./debian-packages.mjs";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/partners");
/** Written last: a download that was interrupted begins again. */
const isComplete = join(folder, "complete");

const libraries = [
  "golang-1.26-go",
  "golang-1.26-src",
  "golang-cel-cel-go-dev",
  "golang-github-evanphx-json-patch-dev",
  "golang-k8s-apiextensions-apiserver-dev",
  "golang-k8s-apimachinery-dev",
  "golang-k8s-apiserver-dev",
  "golang-k8s-client-go-dev",
  "golang-k8s-sigs-structured-merge-diff-v6-dev",
];
const programs = ["kustomize"];

export function providePartners({ log }) {
  if (existsSync(isComplete)) return;
  log("getting the reference's libraries: 300 packages, once");
  try {
    unpackFromDebian({ folder, namesOf: (apt) => [...goPackages(apt), ...programs] });
    writeFileSync(isComplete, "");
  } catch (error) {
    log(`the reference's libraries could not be had: ${error instanceof Error ? error.message : error}`);
  }
}

/** The libraries with all that they import. Packages that are no Go sources are not needed to build a program. */
function goPackages(apt) {
  const list = apt(["install", "--print-uris", "-y", "--no-install-recommends", ...libraries]);
  const names = [...list.matchAll(/^'[^']*' (golang-[^_]+)_/gm)].map(([, name]) => name);
  return [...new Set([...libraries, ...names])];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) providePartners({ log: (line) => console.log(line) });
