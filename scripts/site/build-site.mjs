/**
 * The docs as a site: one page for each Markdown file, in the order of docs/README.md, with a search that needs no network. It opens
 * from files (`dist/console/docs/index.html`), and `ctl console` serves it under "Docs".
 */

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { contents, placeOf, root, sources } from "./pages.mjs";
import { escapeHtml, renderPage } from "./render.mjs";

/** How much of a section the search looks at. */
const sectionTextMax = 4_000;

export function buildSite(outdir) {
  rmSync(outdir, { recursive: true, force: true });
  const groups = contents();
  const order = groups.flatMap(({ pages }) => pages.map(({ source }) => source));
  const index = [];
  for (const source of sources()) {
    const place = placeOf(source);
    const page = renderPage(source, readFileSync(join(root, source), "utf8"));
    for (const { anchor, heading, text } of page.sections)
      index.push([place, page.title, anchor, heading, text.replace(/\s+/g, " ").slice(0, sectionTextMax)]);
    write(join(outdir, place), pageText({ source, place, page, groups, order }));
  }
  // A script and not JSON, because pages that are opened from files may not fetch.
  write(join(outdir, "search-index.js"), `globalThis.searchIndex = ${JSON.stringify(index)};\n`);
  for (const name of ["style.css", "search.js"]) copyFileSync(join(root, "scripts/site", name), join(outdir, name));
  for (const name of readdirSync(join(root, "docs")))
    if (/\.(png|svg)$/.test(name)) copyFileSync(join(root, "docs", name), join(outdir, name));
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function pageText({ source, place, page, groups, order }) {
  const to = (target) => posix.relative(posix.dirname(place), target);
  const link = (target, text, attributes = "") =>
    `<a href="${to(placeOf(target))}"${attributes}>${escapeHtml(text)}</a>`;
  const nav = groups
    .map(({ title, pages }) => {
      const items = pages.map(
        (each) => `<li>${link(each.source, each.text, each.source === source ? ' aria-current="page"' : "")}</li>`,
      );
      return `<h2>${escapeHtml(title)}</h2><ul>${items.join("")}</ul>`;
    })
    .join("\n");
  const at = order.indexOf(source);
  const titleOf = (each) => groups.flatMap(({ pages }) => pages).find((page) => page.source === each)?.text ?? "";
  const step = (each, rel, arrow) =>
    each === undefined ? "" : `${arrow} ${link(each, titleOf(each), ` rel="${rel}"`)}`;
  const steps =
    at < 0
      ? ""
      : `<footer>${step(order[at - 1], "prev", "←")} <span></span> ${step(order[at + 1], "next", "→")}</footer>`;
  const toc =
    page.headings.length < 3
      ? ""
      : `<aside><ul>${page.headings.map(({ anchor, text }) => `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`).join("")}</ul></aside>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · orch</title>
<link rel="stylesheet" href="${to("style.css")}">
<script src="${to("search-index.js")}" defer></script>
<script src="${to("search.js")}" defer data-root="${to("index.html").replace(/index\.html$/, "")}"></script>
</head>
<body>
<header>
${link("docs/README.md", "orch docs", ' class="home"')}
<search><label>Search <input type="search" id="query" autocomplete="off" placeholder="press / to search"></label><ol id="found" hidden></ol></search>
</header>
<nav aria-label="Pages">${nav}</nav>
<main>${page.html}${steps}</main>
${toc}
</body>
</html>
`;
}
