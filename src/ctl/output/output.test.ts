import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../base/unified-diff.ts";
import { runTemplate } from "./go-template/execute.ts";
import { parsePathTemplate, runJsonPath } from "./json-path.ts";
import { tabbed } from "./tabbed.ts";
import { showControls } from "./terminal.ts";

const data = {
  kind: "List",
  count: 3,
  big: 1_000_000,
  wide: 9007199254740993n,
  on: true,
  none: null,
  items: [
    { name: "a", size: 1, labels: { "x.y/z": "1", tier: "web" }, ports: [80, 443] },
    { name: "b", size: 20, labels: { tier: "db" }, ports: [] },
  ],
};

describe("JSONPath", () => {
  const cases = [
    { path: "{.items[*].name}", out: "a b" },
    { path: "{.items[0]['name','size']}", out: "a 1" },
    { path: "{.items[-1].name}", out: "b" },
    { path: "{.items[0:2].name}", out: "a b" },
    { path: "{.items[::2].name}", out: "a" },
    { path: "{.items[0,1].name}", out: "a b" },
    { path: "{..name}", out: "a b" },
    { path: "{.items[?(@.size>5)].name}", out: "b" },
    { path: '{.items[?(@.labels.tier=="web")].name}', out: "a" },
    { path: "{.items[?(@.ports[0])].name}", out: "a", throws: "array index out of bounds" },
    { path: "{.items[0].labels.x\\.y/z}", out: "1" },
    { path: "{.items[0].labels['x\\.y/z']}", out: "1" },
    { path: "{range .items[*]}{.name}={.size}{'\\n'}{end}", out: "a=1\nb=20\n" },
    { path: '{range .items[*]}[{.name}, {.labels.tier}] {"x"}{end}', out: "[a, web] x[b, db] x" },
    { path: "{.items[0].labels}", out: '{"tier":"web","x.y/z":"1"}' },
    { path: "{.on} {.none} {.count}", out: "true null 3" },
    { path: "plain {.kind}", out: "plain List" },
    { path: "{$.kind}{@.count}", out: "List3" },
    { path: "{range .items[*]}{$.kind} {end}", out: "List List " },
    { path: '{"}"}{.items[?(@.name=="}")].size}', out: "}" },
    { path: "{.items[0]['labels.tier', 'size']}", out: "web 1" },
    { path: "{.items[?(@.name>1)].size}", out: "", throws: "incompatible types for comparison" },
    { path: "{.missing}", out: "" },
  ];
  for (const { path, out, throws } of cases)
    test(path, () => {
      const run = () => runJsonPath(parsePathTemplate(path), data, { allowMissing: true });
      if (throws === undefined) expect(run()).toBe(out);
      else expect(run).toThrow(throws);
    });
  const refused = [
    { path: "{.a", says: "unclosed action" },
    { path: "{range .a}x", says: "unclosed range" },
    { path: "{end}", says: "nothing to end" },
    { path: "{.a[?(@.b=~/x/)]}", says: "unrecognized character in action: U+007E '~'" },
    { path: "{.a[x]}", says: "invalid array index" },
    { path: "{kind}", says: "unrecognized identifier kind" },
  ];
  for (const { path, says } of refused)
    test(`${path} is refused`, () => expect(() => parsePathTemplate(path)).toThrow(says));
  test("a missing field is an error on request", () => {
    expect(() => runJsonPath(parsePathTemplate("{.missing}"), data, { allowMissing: false })).toThrow(
      "missing is not found",
    );
  });
});

describe("Go templates", () => {
  const cases = [
    { template: "{{range.items}}{{.name}}:{{end}}", out: "a:b:" },
    { template: "{{.count}} {{.big}} {{.on}} {{.nope}} {{.none}}", out: "3 1000000 true <no value> <no value>" },
    { template: "{{range $i, $e := .items}}{{$i}}{{$e.name}} {{end}}", out: "0a 1b " },
    { template: "{{range $k, $v := (index .items 0).labels}}{{$k}}={{$v}};{{end}}", out: "tier=web;x.y/z=1;" },
    { template: '{{index .items 0 "labels" "x.y/z"}}', out: "1" },
    { template: "{{(index .items 1).name}}", out: "b" },
    { template: '{{if eq .kind "List"}}yes{{else}}no{{end}}', out: "yes" },
    { template: "{{if .none}}a{{else if .on}}b{{else}}c{{end}}", out: "b" },
    { template: "{{with .items}}{{len .}}{{end}}", out: "2" },
    { template: "{{range .nothing}}x{{else}}none{{end}}", out: "none" },
    { template: 'a {{- /* gone */ -}} b{{ "c" -}}   d', out: "abcd" },
    {
      template: '{{printf "%s-%03d-%q-%v" .kind 7 "x" .items}}',
      out: 'List-007-"x"-[map[labels:map[tier:web x.y/z:1] name:a ports:[80 443] size:1] map[labels:map[tier:db] name:b ports:[] size:20]]',
    },
    {
      template: "{{eq .wide 9007199254740992}} {{gt .wide 9007199254740992}} {{.wide}}",
      out: "false true 9007199254740993",
    },
    { template: '{{printf "%x" .wide}} {{eq 1 1.0}}', out: "20000000000001 true" },
    { template: "{{and 1 0}} {{or 0 2}} {{not 1}} {{gt 2 1}} {{le 1 1}} {{ne 1 2}}", out: "0 2 false true true true" },
    { template: '{{define "t"}}<{{.}}>{{end}}{{template "t" .kind}}{{block "u" 5}}{{.}}{{end}}', out: "<List>5" },
    { template: "{{$x := 1}}{{range .items}}{{$x = .size}}{{end}}{{$x}}", out: "20" },
    { template: '{{range .items}}{{if eq .name "b"}}{{break}}{{end}}{{.name}}{{end}}', out: "a" },
    { template: '{{"aGk=" | base64decode}} {{exists . "items" 0 "name"}}', out: "hi true" },
    { template: '{{println .kind | html}}{{print 1 2 "x"}}', out: "List\n1 2x" },
    { template: '{{slice .kind 1 3}} {{urlquery "a b"}}', out: "is a+b" },
  ];
  for (const { template, out } of cases)
    test(template, () => expect(runTemplate(template, data, { allowMissing: true })).toBe(out));
  const refused = [
    { template: "{{.a", says: "unclosed action" },
    { template: "{{if .a}}", says: "unexpected EOF" },
    { template: "{{nope 1}}", says: 'function "nope" not defined' },
    { template: "{{$x}}", says: 'undefined variable "$x"' },
    { template: "{{index .items 9}}", says: "index out of range: 9" },
    { template: "{{.kind.name}}", says: "can't evaluate field name" },
    { template: '{{define "r"}}{{template "r"}}{{end}}{{template "r"}}', says: "exceeded maximum template depth" },
  ];
  for (const { template, says } of refused)
    test(`${template} is refused`, () =>
      expect(() => runTemplate(template, data, { allowMissing: true })).toThrow(says));
  test("a missing key is an error on request", () => {
    expect(() => runTemplate("{{.missing}}", data, { allowMissing: false })).toThrow(
      'map has no entry for key "missing"',
    );
  });
});

test("tabs become columns as wide as the lines that share them", () => {
  expect(tabbed("a:\tx\nlong:\ty\n\nb:\tz\n")).toBe("a:     x\nlong:  y\n\nb:  z\n");
});

test("a difference is printed in unified form with three lines of context", () => {
  const before = Array.from({ length: 9 }, (_, at) => `${at}\n`).join("");
  expect(unifiedDiff(before, before.replace("4\n", "x\ny\n"))).toBe(
    "@@ -2,7 +2,8 @@\n 1\n 2\n 3\n-4\n+x\n+y\n 5\n 6\n 7\n",
  );
  expect(unifiedDiff("", "a\n")).toBe("@@ -0,0 +1 @@\n+a\n");
  expect(unifiedDiff(before, before)).toBe("");
});

test("control characters are shown escaped, except new lines and tabs", () => {
  expect(showControls("a\u001b]52;c;x\u0007\r\n\tb\u202e")).toBe("a^[]52;c;x\\u0007\\r\n\tb\\u202e");
});
