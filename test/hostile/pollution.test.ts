/** Patches and applied configurations that reach for prototypes. */

import { describe, expect, test } from "vitest";
import { applyPatch, configMap, core, jsonPatch, mergePatch, places, strategicPatch, usePatched } from "./patched.ts";

const { target, patch } = usePatched();

describe("N02 pollution through patches", () => {
  const operations = [
    "/__proto__/polluted",
    "/constructor/prototype/polluted",
    "/metadata/__proto__/polluted",
    "/metadata/labels/__proto__",
    "/metadata/annotations/__proto__/polluted",
    "/data/__proto__",
    "/data/constructor/prototype/polluted",
    "/spec/__proto__/polluted",
    "/metadata/constructor/polluted",
    "/metadata/managedFields/__proto__/polluted",
    "/metadata/managedFields/0/fieldsV1/__proto__/polluted",
    "/metadata/managedFields/constructor/polluted",
    "/spec/containers/length",
    "/spec/containers/__proto__/polluted",
    "/toString",
    "/metadata/name/__proto__/polluted",
  ];
  const jsons = operations.flatMap((path) =>
    ["add", "replace", "remove", "test"].map((op) => JSON.stringify([{ op, path, value: "polluted" }])),
  );
  jsons.push(
    '[{"op":"copy","from":"/__proto__","path":"/data"}]',
    '[{"op":"copy","from":"/constructor","path":"/data"}]',
    '[{"op":"move","from":"/__proto__/toString","path":"/metadata/name"}]',
    '[{"__proto__":{"op":"add","path":"/data","value":{"a":"polluted"}}}]',
  );
  const evil = '{"polluted":"polluted","name":"polluted"}';
  const merges = [
    `{"__proto__":${evil}}`,
    `{"constructor":{"prototype":${evil}}}`,
    `{"metadata":{"__proto__":${evil}}}`,
    `{"metadata":{"annotations":{"__proto__":"polluted"}}}`,
    `{"metadata":{"labels":{"__proto__":null}}}`,
    `{"data":{"__proto__":null}}`,
    `{"data":{"__proto__":${evil}}}`,
    `{"spec":{"__proto__":${evil}}}`,
    `{"metadata":{"managedFields":{"__proto__":${evil}}}}`,
  ];
  const strategics = [
    ...merges,
    '{"$patch":"__proto__"}',
    '{"$patch":"constructor"}',
    '{"$patch":{"__proto__":1}}',
    '{"$setElementOrder/__proto__":["a"]}',
    '{"$setElementOrder/constructor":["a"]}',
    '{"$deleteFromPrimitiveList/__proto__":["a"]}',
    '{"$retainKeys":["__proto__"]}',
    '{"metadata":{"$retainKeys":["__proto__","constructor"]}}',
    '{"spec":{"containers":[{"name":"__proto__","image":"polluted"}]}}',
    '{"spec":{"containers":[{"$patch":"replace"},{"__proto__":{"name":"c"}}]}}',
    '{"spec":{"$setElementOrder/containers":[{"__proto__":{"name":"c"}}]}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["__proto__"]}}',
    '{"spec":{"containers":[{"__proto__":{"name":"c"},"$patch":"delete"}]}}',
  ];
  const tried = [
    ["JSON patch", jsonPatch, jsons],
    ["merge patch", mergePatch, merges],
    ["strategic merge patch", strategicPatch, strategics],
  ] as const;
  for (const { path } of places) {
    for (const [what, type, patches] of tried) {
      test(`N02 pollution through patches: no ${what} of ${path} changes other objects`, async () => {
        const tries = patches.map((bytes) => patch(`${path}/target?dryRun=All`, type, bytes));
        for (const [at, { status, text }] of (await Promise.all(tries)).entries()) {
          expect([patches[at], status < 500 ? "" : text]).toEqual([patches[at], ""]);
        }
        await seeNothingElsewhere();
      });
    }
  }

  const keyed = '"__proto__":"one","constructor":"two","toString":"three"';
  const sets: readonly [what: string, type: string, bytes: string][] = [
    ["a merge patch", mergePatch, `{"data":{${keyed}}}`],
    ["a strategic merge patch", strategicPatch, `{"data":{${keyed}}}`],
    ["a JSON patch", jsonPatch, `[{"op":"add","path":"/data","value":{${keyed}}}]`],
    [
      "a JSON patch by paths",
      jsonPatch,
      '[{"op":"add","path":"/data","value":{}},{"op":"add","path":"/data/__proto__","value":"one"},{"op":"copy","from":"/data/__proto__","path":"/data/constructor"},{"op":"replace","path":"/data/constructor","value":"two"},{"op":"add","path":"/data/toString","value":"three"}]',
    ],
    ["an apply", applyPatch, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"target"},"data":{${keyed}}}`],
  ];
  for (const [what, type, bytes] of sets) {
    test(`N02 pollution through patches: keys with a meaning in JavaScript are ordinary keys of ${what}`, async () => {
      const query = type === applyPatch ? "?fieldManager=m&force=true" : "";
      const { status } = await patch(`${configMap}${query}`, type, bytes);
      const { body } = await target.request(configMap);
      expect([status, Object.entries(body.data)]).toEqual([
        200,
        expect.arrayContaining([
          ["__proto__", "one"],
          ["constructor", "two"],
          ["toString", "three"],
        ]),
      ]);
      const removed = '{"data":{"__proto__":null,"constructor":null,"toString":null}}';
      await patch(configMap, mergePatch, removed);
      expect((await target.request(configMap)).text).not.toContain('"one"');
    });
  }

  test("N02 pollution through patches: applied configurations reach no prototype", async () => {
    const head = '"apiVersion":"v1","kind":"ConfigMap"';
    const fields = `[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:__proto__":{"f:polluted":{}},"f:data":{"f:__proto__":{},"k:{\\"__proto__\\":1}":{}}}}]`;
    const applied = [
      `{${head},"metadata":{"name":"target","__proto__":${evil}},"__proto__":${evil}}`,
      `{${head},"metadata":{"name":"target"},"data":{"__proto__":"polluted-value"}}`,
      `{${head},"metadata":{"name":"target","managedFields":${fields}}}`,
      `{${head},"metadata":{"name":"target","labels":{"constructor":"x"}}}`,
      `${head}\n__proto__: {a: 1}`,
    ];
    for (const bytes of applied) {
      const { status } = await patch(`${configMap}?fieldManager=__proto__&force=true&dryRun=All`, applyPatch, bytes);
      expect([bytes, status < 500]).toEqual([bytes, true]);
    }
    const put = `{"metadata":{"name":"target","managedFields":${fields}},"data":{"__proto__":"x"}}`;
    expect((await target.request(configMap, { method: "PUT", bytes: put })).status).toBe(200);
    const again = await patch(
      `${configMap}?fieldManager=m&force=true`,
      applyPatch,
      `{${head},"metadata":{"name":"target"},"data":{"b":"2"}}`,
    );
    expect(again.status).toBeLessThan(500);
    await seeNothingElsewhere();
  });

  async function seeNothingElsewhere(): Promise<void> {
    const fresh = await target.post(`${core}/configmaps?dryRun=All`, { metadata: { name: "fresh" }, data: { a: "1" } });
    expect([fresh.status, fresh.text.includes("polluted")]).toEqual([201, false]);
    expect(Object.keys(fresh.body.data)).toEqual(["a"]);
    expect((await target.request("/api/v1/namespaces/default")).text).not.toContain("polluted");
  }
});
