/** Where the built page of the console is: beside the program that runs, or in dist/ for one that runs from its sources. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** From dist/ itself, from a folder in it, and from this file. */
const candidates = ["./console/", "../console/", "../../../dist/console/"];

/** The last one is named even if nothing was built: then the error of reading it says what to do. */
export function consolePageFolder(): string {
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  // Other folders of this name have sources.
  return folders.find((folder) => existsSync(`${folder}app.js`)) ?? folders.at(-1) ?? "";
}
