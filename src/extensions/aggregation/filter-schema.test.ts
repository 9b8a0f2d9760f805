import { expect, test } from "vitest";
import { filterSchema, keptSchemaBytesMax, schemaMemberBytesMax } from "./filter-schema.ts";
import { jsonMembers } from "./json-members.ts";

const filter = (document: unknown) => filterSchema(Buffer.from(JSON.stringify(document)), "a.test", "v1");

test("members are found as JSON.parse would find them", async () => {
  const value = { a: 1, 'b"\\': ["]", { "}": '"' }], "": "\\", ü: { x: { y: [] } }, __proto__x: null };
  for (const space of [0, 2]) {
    const bytes = Buffer.from(`  ${JSON.stringify(value, null, space)}`);
    const found = (await jsonMembers(bytes)).map(({ key, start, end }) => [
      key,
      JSON.parse(bytes.toString("utf8", start, end)),
    ]);
    expect(Object.fromEntries(found)).toEqual(value);
  }
  expect(await jsonMembers(Buffer.from("{}"))).toEqual([]);
  for (const broken of ["", "[]", "{", '{"a"', '{"a":', '{"a":1', '{"a":"', "{a:1}", '{"a":}', '{"a":[1}'])
    await expect(jsonMembers(Buffer.from(broken)).then((members) => members.length)).rejects.toThrow();
});

test("only paths of the group version are kept, with the definitions that they need", async () => {
  const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
  const { paths, definitions } = await filter({
    paths: {
      "/apis/a.test/v1/x": ref("A"),
      "/apis/a.test/v11/x": ref("D"),
      "/apis/a.test/v1": ref("D"),
      "/x": ref("D"),
    },
    definitions: { A: { items: ref("B") }, B: { properties: { c: ref("A"), d: ref('q"') } }, 'q"': {}, D: {} },
  });
  expect([[...paths.keys()], [...definitions.keys()].sort()]).toEqual([["/apis/a.test/v1/x"], ["A", "B", 'q"']]);
});

test("a schema that is too large, as a whole or in one member, is refused", async () => {
  const text = "x".repeat(schemaMemberBytesMax);
  await expect(filter({ paths: { "/apis/a.test/v1/x": text } })).rejects.toThrow(`larger than ${schemaMemberBytesMax}`);
  const count = Math.ceil(keptSchemaBytesMax / (schemaMemberBytesMax - 100)) + 1;
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`/apis/a.test/v1/${at}`, text.slice(100)]),
  );
  await expect(filter({ paths })).rejects.toThrow(`larger than ${keptSchemaBytesMax}`);
});
