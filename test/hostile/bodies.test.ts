/** Bodies that are too deep or too clever: parser bombs, keys with meaning, numbers, duplicates, YAML, quantities. */

import { describe, expect, test } from "vitest";
import { useTarget } from "./target.ts";

const target = useTarget();
const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const yaml = "application/yaml";
const bodyBytesMax = 3 * 1024 * 1024;

const send = (bytes: string | Buffer, type = "application/json") =>
  target.request(configMaps, { method: "POST", bytes, type });

describe("C23 parser bombs", () => {
  const levels = ["a: &a [x,x,x,x,x,x,x,x,x]", ..."bcdefghi"].map((name, at) =>
    at === 0
      ? name
      : `${name}: &${name} [${Array(9)
          .fill(`*${String.fromCharCode(96 + at)}`)
          .join(",")}]`,
  );
  const bombs = [
    { what: "nine levels of nine aliases", bytes: levels.join("\n"), type: yaml, status: [400] },
    { what: "an alias inside its own anchor", bytes: "data: &a {b: *a}", type: yaml, status: [400] },
    { what: "2 MB of brackets as YAML", bytes: "[".repeat(2_000_000), type: yaml, status: [400, 413] },
    {
      what: "1 MB of an unterminated quote as YAML",
      bytes: `a: "${"x".repeat(1_000_000)}`,
      type: yaml,
      status: [400, 413],
    },
    { what: "200,000 nested block mappings as YAML", bytes: "- ".repeat(200_000), type: yaml, status: [400] },
    { what: "JSON 10,001 deep", bytes: "[".repeat(10_001) + "]".repeat(10_001), type: undefined, status: [400] },
    {
      what: "JSON 1,500,000 deep",
      bytes: "[".repeat(1_500_000) + "]".repeat(1_500_000),
      type: undefined,
      status: [400],
    },
    { what: "one byte over 3 MiB", bytes: `"${"x".repeat(bodyBytesMax - 1)}"`, type: undefined, status: [413] },
  ];
  for (const { what, bytes, type, status } of bombs) {
    test(`C23 parser bombs: ${what} is refused`, async () => {
      const answer = await target.beside(() => send(bytes, type));
      expect(status).toContain(answer.status);
      expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code: answer.status });
      expect(answer.text).not.toContain("    at ");
    });
  }
});

describe("N01 pollution through bodies", () => {
  const keys = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"];

  for (const [form, type] of [
    ["JSON", "application/json"],
    ["YAML", yaml],
  ] as const) {
    test(`N01 pollution through bodies: keys with meaning for JavaScript are plain keys of ${form}`, async () => {
      const data = keys.map((key) => `${JSON.stringify(key)}: "of ${key}"`).join(", ");
      const name = `proto-${form.toLowerCase()}`;
      const bytes = `{"metadata": {"name": "${name}", "annotations": {"constructor": "x"}}, "data": {${data}}}`;
      const text = form === "YAML" ? `# not JSON\n${bytes}` : bytes;
      const created = await send(text, type);
      expect(created.status).toBe(201);
      for (const accept of ["application/json", yaml]) {
        const read = await target.request(`${configMaps}/${name}`, { headers: { accept } });
        for (const key of keys) expect(read.text).toContain(`of ${key}`);
      }
      const { body } = await target.request(`${configMaps}/${name}`);
      expect(Object.entries(body.data)).toEqual([...keys].sort().map((key) => [key, `of ${key}`]));
    });
  }

  test("N01 pollution through bodies: nothing appears on objects of others", async () => {
    const evil =
      '{"__proto__":{"polluted":"yes","namespace":"orch-system"},"constructor":{"prototype":{"polluted":"yes"}}}';
    const places = [
      `{"metadata":{"name":"evil-a","__proto__":{"polluted":"yes"}},"__proto__":${evil},"constructor":${evil}}`,
      `{"metadata":{"name":"evil-b","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:__proto__":${evil},"__proto__":${evil}}}]}}`,
      `{"metadata":{"name":"evil-c","labels":{"__proto__":"x"}}}`,
      `{"metadata":{"name":"evil-d","ownerReferences":[{"__proto__":${evil}}]}}`,
    ];
    for (const bytes of places) expect((await send(bytes)).status).toBeLessThan(500);
    const fresh = await target.post(configMaps, { metadata: { name: "fresh" } });
    expect(fresh.status).toBe(201);
    expect(fresh.text).not.toContain("polluted");
    expect(fresh.body.metadata.namespace).toBe("default");
    expect((await target.request("/api/v1/namespaces/default")).text).not.toContain("polluted");
  });

  test("N01 pollution through bodies: a pod with such keys at every depth stays a pod", async () => {
    const evil = { ["__proto__"]: { polluted: "yes" }, constructor: { prototype: { polluted: "yes" } } };
    const text = JSON.stringify({
      metadata: { name: "evil-pod", ...evil },
      spec: {
        ...evil,
        nodeSelector: { constructor: "a" },
        containers: [{ name: "c", image: "i", ...evil, resources: { limits: { cpu: "1" }, ...evil } }],
      },
    }).replace('"metadata":{', '"metadata":{"__proto__":{"polluted":"yes"},');
    const answer = await target.request(pods, { method: "POST", bytes: text });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain("polluted");
  });
});

describe("N04 number and version confusion in bodies", () => {
  const pod = (deadline: string, name: string) =>
    `{"metadata":{"name":"${name}"},"spec":{"activeDeadlineSeconds":${deadline},"terminationGracePeriodSeconds":30,"containers":[{"name":"c","image":"i"}]}}`;

  test("N04 number and version confusion: integers of 64 bits keep their last digit", async () => {
    const lease = (name: string, transitions: string) =>
      `{"metadata":{"name":"${name}","annotations":{}},"spec":{"tolerations":[{"operator":"Exists","effect":"NoExecute","tolerationSeconds":${transitions}}],"containers":[{"name":"c","image":"i"}]}}`;
    for (const [at, value] of ["9007199254740993", "9223372036854775807", "-9223372036854775808"].entries()) {
      const answer = await target.request(pods, { method: "POST", bytes: lease(`exact-${at}`, value) });
      expect([answer.status, answer.text.includes(`"tolerationSeconds":${value}`)]).toEqual([201, true]);
      const read = await target.request(`${pods}/exact-${at}`);
      expect(read.text).toContain(`"tolerationSeconds":${value}`);
    }
  });

  const wrong = [
    "9223372036854775808",
    "1e400",
    "1.5",
    "3.0",
    '"5"',
    "1e2",
    "true",
    "[]",
    "{}",
    "NaN",
    "0x10",
    "01",
    "Infinity",
  ];
  for (const value of wrong) {
    test(`N04 number and version confusion: ${value} is not an integer of 64 bits`, async () => {
      const answer = await target.request(pods, { method: "POST", bytes: pod(value, "wrong") });
      expect(answer.status).toBe(400);
    });
  }
});

describe("N05 duplicate keys, URL and body disagreement", () => {
  test("N05 duplicate keys: the last of two names is used everywhere", async () => {
    expect((await send('{"metadata":{"name":"twice-a","name":"twice-b"}}')).body.metadata.name).toBe("twice-b");
    expect((await target.request(`${configMaps}/twice-a`)).status).toBe(404);
    const put = (name: string, bytes: string) => target.request(`${configMaps}/${name}`, { method: "PUT", bytes });
    expect((await put("twice-a", '{"metadata":{"name":"twice-a","name":"twice-b"}}')).status).toBe(400);
    expect((await put("twice-b", '{"metadata":{"name":"twice-a","name":"twice-b"}}')).status).toBe(200);
  });

  const disagreements = [
    '{"kind":"Secret","metadata":{"name":"d"}}',
    '{"kind":"ConfigMap","kind":"Secret","metadata":{"name":"d"}}',
    '{"apiVersion":"v1","apiVersion":"apps/v1","metadata":{"name":"d"}}',
    '{"metadata":{"name":"d","namespace":"other"}}',
    '{"metadata":{"name":"d"},"metadata":{"name":"d","namespace":"other"}}',
  ];
  for (const bytes of disagreements) {
    test(`N05 duplicate keys: ${bytes} contradicts its path`, async () => {
      expect((await send(bytes)).status).toBe(400);
    });
  }
});

describe("N06 deep nesting", () => {
  const nest = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const cases = [
    { what: "an unknown member, 1,001 deep", bytes: `{"metadata":{"name":"deep"},"x":${nest(1_001)}}` },
    { what: "objects, 1,001 deep", bytes: `${'{"a":'.repeat(1_001)}1${"}".repeat(1_001)}` },
    {
      what: "managed fields, 5,000 deep",
      bytes: `{"metadata":{"managedFields":[{"fieldsV1":${'{"f:a":'.repeat(5_000)}{}${"}".repeat(5_000)}}]}}`,
    },
  ];
  for (const { what, bytes } of cases) {
    test(`N06 deep nesting: ${what}, is a bad request`, async () => {
      const answer = await send(bytes);
      expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    });
  }

  test("N06 deep nesting: YAML in flow and in block style is a bad request", async () => {
    const block = Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}a:`).join("\n");
    for (const bytes of [`x: ${nest(5_000)}`, block, `${"? ".repeat(20_000)}a`]) {
      expect((await send(bytes, yaml)).status).toBe(400);
    }
  });

  test("N06 deep nesting: the maximum depth can be stored where a kind keeps it, or is pruned", async () => {
    const fields = `${'{"f:a":'.repeat(900)}{}${"}".repeat(900)}`;
    const managed = `[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fields}}]`;
    const answer = await send(`{"metadata":{"name":"just","managedFields":${managed}},"x":${nest(900)}}`);
    expect(answer.status).toBeLessThan(500);
    expect((await target.request(`${configMaps}?limit=500`)).status).toBe(200);
    const patch = { method: "PATCH", type: "application/merge-patch+json" };
    const deep = `${'{"a":'.repeat(999)}1${"}".repeat(999)}`;
    expect((await target.request(`${configMaps}/just`, { ...patch, bytes: deep })).status).toBeLessThan(500);
  });
});

describe("N14 YAML", () => {
  const documents = [
    { what: "merge keys that multiply", bytes: `a: &a {x: 1}\nb: {<<: [${Array(15_000).fill("*a").join(",")}]}` },
    { what: "a JavaScript tag", bytes: "data: !!js/function 'function(){ while(true){} }'" },
    { what: "a regular expression tag", bytes: "data: !!js/regexp /a/" },
    { what: "a tag of Python", bytes: "!!python/object/apply:os.system ['true']" },
    { what: "not a number", bytes: "metadata: {name: nan}\nimmutable: .nan" },
    { what: "tabs for indentation", bytes: "metadata:\n\tname: tabs" },
    { what: "2,000 aliases", bytes: `a: &a x\nb: [${Array(2_000).fill("*a").join(",")}]` },
    { what: "a list", bytes: "- a\n- b" },
    { what: "a scalar", bytes: "just text" },
    { what: "an alias without an anchor", bytes: "a: *b" },
  ];
  for (const { what, bytes } of documents) {
    test(`N14 YAML: ${what} is a bad request`, async () => {
      expect((await send(bytes, yaml)).status).toBe(400);
    });
  }

  test("N14 YAML: of 1,000 documents the first is used", async () => {
    const bytes = Array.from({ length: 1_000 }, (_, at) => `---\nmetadata: {name: doc-${at}}`).join("\n");
    expect((await send(bytes, yaml)).body.metadata.name).toBe("doc-0");
    expect((await target.request(`${configMaps}/doc-1`)).status).toBe(404);
  });

  test("N14 YAML: other line ends and binary tags do not change types", async () => {
    const bytes = "metadata: {name: nel}\ndata: {a: \"x\u0085y\u2028z\", b: '2021-01-01', c: 'y'}";
    const answer = await send(bytes, yaml);
    expect([answer.status, answer.body.data.b, answer.body.data.c]).toEqual([201, "2021-01-01", "y"]);
    expect((await send("metadata: {name: bin}\ndata: {a: !!binary aGFsbG8=}", yaml)).status).toBeLessThan(500);
  });
});

describe("A15 quantities that hang", () => {
  const quantities = [
    "011E011110011110",
    `${"1".repeat(100_000)}`,
    `1e${"9".repeat(1_000)}`,
    "1e999999999",
    `0.${"0".repeat(50_000)}1`,
    `${".".repeat(50_000)}`,
    "1E-999999999",
  ];
  for (const [at, quantity] of quantities.entries()) {
    test(`A15 quantities: ${quantity.slice(0, 20)} of ${quantity.length} characters costs nothing`, async () => {
      const body = {
        metadata: { name: `quantity-${at}` },
        spec: { containers: [{ name: "c", image: "i", resources: { limits: { memory: quantity } } }] },
      };
      const answer = await target.beside(() => target.post(pods, body));
      expect([201, 400, 422]).toContain(answer.status);
    });
  }
});
