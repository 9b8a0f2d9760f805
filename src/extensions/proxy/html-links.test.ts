import { expect, test } from "vitest";
import { rewriteHtml, tagCharsMax } from "./html-links.ts";

async function rewritten(html: string, pieceBytes = html.length + 1): Promise<string> {
  const bytes = Buffer.from(html);
  async function* pieces(): AsyncIterable<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const all: Buffer[] = [];
  for await (const piece of rewriteHtml(pieces(), (url) => `[${url}]`)) all.push(piece);
  return Buffer.concat(all).toString();
}

const cases: [why: string, html: string, expected: string][] = [
  ["double quotes", '<a href="/x">', '<a href="[/x]">'],
  ["single quotes", "<a class=c href='/x' id=i>", "<a class=c href='[/x]' id=i>"],
  ["no quotes", "<img src=/x.png>", "<img src=[/x.png]>"],
  ["spaces around the equals sign", '<a href = "/x">', '<a href = "[/x]">'],
  ["capital letters", '<A HREF="/x">', '<A HREF="[/x]">'],
  ["two URLs in one tag", '<video poster="/p" src="/v">', '<video poster="[/p]" src="[/v]">'],
  ["a self-closing tag", '<link href="/x"/>', '<link href="[/x]"/>'],
  ["a bracket inside quotes", '<a title="1 > 0" href="/x">', '<a title="1 > 0" href="[/x]">'],
  ["other attributes", '<a data-href="/x" title="/y">', '<a data-href="/x" title="/y">'],
  ["other elements", '<p href="/x">', '<p href="/x">'],
  ["comments", '<!-- <a href="/x"> -->', '<!-- <a href="/x"> -->'],
  [
    "scripts",
    `<script src="/s">if (a<b) '<a href="/x">'</script>`,
    `<script src="[/s]">if (a<b) '<a href="/x">'</script>`,
  ],
  ["text after a script", '<style>a{}</STYLE><a href="/x">', '<style>a{}</STYLE><a href="[/x]">'],
  ["a lone bracket", 'a < b <a href="/x">', 'a < b <a href="[/x]">'],
  ["an attribute without a value", '<input disabled src="/x">', '<input disabled src="[/x]">'],
  ["other alphabets", '<a href="/ü">ü€</a>', '<a href="[/ü]">ü€</a>'],
  ["a page that ends inside a tag", '<a href="/x', '<a href="/x'],
];
for (const [why, html, expected] of cases) {
  test(`links are rewritten, however the page arrives: ${why}`, async () => {
    for (const pieceBytes of [1, 2, 3, 7, 1_000]) expect(await rewritten(html, pieceBytes)).toBe(expected);
  });
}

test("a tag that is too long is passed on unchanged, and what follows it is rewritten again", async () => {
  const long = `<a title="${"x".repeat(tagCharsMax)}`;
  expect(await rewritten(`${long}" href="/x"><a href="/y">`, 1_000)).toContain('<a href="[/y]">');
  expect((await rewritten(long, 100)).length).toBe(long.length);
});
