/** The built page of the console, and the headers that confine it. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { CtlError } from "../errors.ts";

export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
}

/** By path. They are the same for all users and hold no data, so that they need no secret. */
export type PageFiles = ReadonlyMap<string, PageFile>;

export function loadPageFiles(folder: string): PageFiles {
  const read = (name: string, type: string): PageFile => ({ type, content: readFileSync(join(folder, name)) });
  try {
    return new Map([
      ["/", read("index.html", "text/html; charset=utf-8")],
      ["/app.js", read("app.js", "text/javascript; charset=utf-8")],
      ["/app.css", read("app.css", "text/css; charset=utf-8")],
      ["/icon.svg", read("icon.svg", "image/svg+xml")],
      ...docsFiles(join(folder, "docs")),
    ]);
  } catch (error) {
    throw new CtlError("the page of the console is not built; run: npm ci && npm run build", { cause: error });
  }
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** The site of the docs. A page is read when it is asked for: most never are. */
function docsFiles(folder: string): [string, PageFile][] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => types[extname(name)]);
  return names.flatMap((name): [string, PageFile][] => {
    const file: PageFile = {
      type: types[extname(name)] ?? "",
      get content() {
        return readFileSync(join(folder, name));
      },
    };
    const paths = [
      `/docs/${name}`,
      ...(/(^|\/)index\.html$/.test(name) ? [`/docs/${name.slice(0, -"index.html".length)}`] : []),
    ];
    return paths.map((path) => [path, file]);
  });
}

/** Sent with every answer: what a server sends must not become a page either. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
