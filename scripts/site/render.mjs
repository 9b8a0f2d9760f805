/** Markdown to the body of a page: links lead to pages of the site, headings can be linked to, and each section can be found. */

import { posix } from "node:path";
import { Marked } from "marked";
import { placeOf } from "./pages.mjs";

const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => escaped[character]);

/** The anchors that links in the Markdown already use. */
function anchorOf(text, taken) {
  const plain = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
  let anchor = plain;
  for (let count = 1; taken.has(anchor); count += 1) anchor = `${plain}-${count}`;
  taken.add(anchor);
  return anchor;
}

/** The text of a token without its marks. */
function textOf(token) {
  if (token.type === "image") return "";
  if (token.items) return token.items.map(textOf).join(" ");
  if (token.header) return [...token.header, ...token.rows.flat()].map(textOf).join(" ");
  if (token.tokens) return token.tokens.map(textOf).join("");
  return token.text ?? "";
}

/** The href on the page of `source`; absent for a file that the site does not have. */
function hrefFrom(source, href) {
  if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
  const [path = "", hash] = href.split("#");
  const target = posix.join(posix.dirname(source), path);
  const place = placeOf(target) ?? (/\.(png|svg)$/.test(target) ? target.replace(/^docs\//, "") : undefined);
  if (place === undefined) return undefined;
  const relative = posix.relative(posix.dirname(placeOf(source)), place);
  return hash === undefined ? relative : `${relative}#${hash}`;
}

export function renderPage(source, markdown) {
  const taken = new Set();
  const sections = [];
  const headings = [];
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    if (token.type === "heading") {
      const text = textOf(token);
      const anchor = anchorOf(text, taken);
      sections.push({ anchor, heading: text, text: "" });
      headings.push({ anchor, text, depth: token.depth });
    } else if (sections.length > 0) sections.at(-1).text += `${textOf(token)} `;
  }
  let at = 0;
  marked.use({
    renderer: {
      heading(html, depth) {
        const { anchor } = headings[at++] ?? { anchor: "" };
        return `<h${depth} id="${escapeHtml(anchor)}"><a href="#${escapeHtml(anchor)}">${html}</a></h${depth}>\n`;
      },
      link(href, _title, html) {
        const target = hrefFrom(source, href);
        return target === undefined ? html : `<a href="${escapeHtml(target)}">${html}</a>`;
      },
      image(href, _title, text) {
        return `<img src="${escapeHtml(hrefFrom(source, href) ?? "")}" alt="${escapeHtml(text)}">`;
      },
      table(header, body) {
        return `<div class="table"><table><thead>${header}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parser(tokens);
  const title = headings.find(({ depth }) => depth === 1)?.text ?? source;
  return { title, html, headings: headings.filter(({ depth }) => depth === 2), sections };
}
