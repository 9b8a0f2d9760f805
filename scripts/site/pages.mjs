/** Which pages the site of the docs has, in the order of the index, and where each is. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository: paths of pages are from there. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What is not in docs/ and has its own name on the site. */
const named = {
  "README.md": "readme.html",
  "CHANGELOG.md": "changelog.html",
  "CONTRIBUTING.md": "contributing.html",
  "SECURITY.md": "security.html",
  "deploy/README.md": "deploy.html",
  "examples/README.md": "examples.html",
};

/** Where the page of a Markdown file is on the site; absent for what has none. */
export function placeOf(source) {
  if (named[source] !== undefined) return named[source];
  if (!/^docs\/.*\.md$/.test(source)) return undefined;
  return source
    .slice("docs/".length)
    .replace(/README\.md$/, "index.md")
    .replace(/md$/, "html");
}

/** Every Markdown file of the site. */
export function sources() {
  const docs = readdirSync(join(root, "docs"), { recursive: true })
    .map((name) => posix.join("docs", name))
    .filter((name) => name.endsWith(".md"));
  return [...Object.keys(named), ...docs.sort()];
}

/** The groups of docs/README.md with their pages: the order of the book. */
export function contents() {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  const isPage = new Set(sources());
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const title = section.split("\n", 1)[0];
      const links = [...section.matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)/g)].map(([, text, path]) => ({
        text: text.replaceAll("`", ""),
        source: posix.join("docs", path),
      }));
      return { title, pages: links.filter(({ source }) => isPage.has(source)) };
    });
}
