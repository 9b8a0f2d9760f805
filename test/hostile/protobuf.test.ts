/** Bodies in the binary form that are cut, changed, endless or lying about their lengths. */

import { beforeAll, describe, expect, test } from "vitest";
import { createChance, useTarget } from "./target.ts";

const target = useTarget();
const type = "application/vnd.orch.protobuf";
const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const magic = Buffer.from("k8s\0");

/** A field of a message: its number, and bytes or a number. */
function field(number: number, value: Buffer | string | number): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

const meta = (name: string) => field(1, field(1, name));
const enclose = (raw: Buffer, kind = "ConfigMap", apiVersion = "v1") =>
  Buffer.concat([found, field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])), field(2, raw)]);

/** What the server itself puts in front of its answers. */
let found: Buffer = magic;

const post = (bytes: Buffer, path = configMaps) => target.request(path, { method: "POST", bytes, type });

async function readBytes(path: string): Promise<Buffer> {
  const answer = await target.raw(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token-of-the-suite\r\nAccept: ${type}\r\nConnection: close\r\n\r\n`,
  );
  return Buffer.from(answer.text.slice(answer.text.indexOf("\r\n\r\n") + 4), "latin1");
}

beforeAll(async () => {
  found = (await readBytes("/api/v1/namespaces/default")).subarray(0, 4);
  expect((await post(enclose(meta("sound")))).status).toBe(201);
});

describe("C26 malformed protobuf", () => {
  const wrong = [
    { what: "nothing but the magic", bytes: () => found },
    { what: "no magic", bytes: () => Buffer.from("hello") },
    { what: "other magic", bytes: () => Buffer.concat([Buffer.from("xyz\0"), enclose(meta("a")).subarray(4)]) },
    { what: "JSON", bytes: () => Buffer.from('{"metadata":{"name":"a"}}') },
    {
      what: "a length of 2^31",
      bytes: () => Buffer.concat([found, Buffer.from([0x12, 0x80, 0x80, 0x80, 0x80, 0x08])]),
    },
    {
      what: "a length of 2^63",
      bytes: () => Buffer.concat([found, Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])]),
    },
    { what: "an endless varint", bytes: () => Buffer.concat([found, Buffer.alloc(100, 0xff)]) },
    { what: "field number zero", bytes: () => enclose(Buffer.from([0x02, 0x00])) },
    { what: "a group that is not closed", bytes: () => enclose(Buffer.from([0x0b])) },
    { what: "groups within groups, 100,000 deep", bytes: () => enclose(Buffer.alloc(100_000, 0x0b)) },
    { what: "messages within messages, 20,000 deep", bytes: () => enclose(nested(20_000)) },
    { what: "a string where a message is", bytes: () => enclose(field(1, "hello")) },
    { what: "a number where a string is", bytes: () => enclose(field(1, field(1, 5))) },
    { what: "another kind", bytes: () => enclose(meta("a"), "Secret") },
    { what: "another version", bytes: () => enclose(meta("a"), "ConfigMap", "apps/v1") },
  ];
  for (const { what, bytes } of wrong) {
    test(`C26 malformed protobuf: ${what} is refused`, async () => {
      const answer = await target.beside(() => post(bytes()));
      expect([400, 406, 422]).toContain(answer.status);
    });
  }

  function nested(depth: number): Buffer {
    let inner: Buffer = Buffer.alloc(0);
    // Each level repeats all below it; so many bytes are built from the inside with one growing prefix.
    for (let at = 0; at < 300; at++) inner = field(1, inner);
    return Buffer.concat(Array.from({ length: Math.ceil(depth / 300) }, () => field(1, inner)));
  }

  test("C26 malformed protobuf: 750 changed bodies are refused or accepted, without a failure", async () => {
    const pod = {
      metadata: { name: "mutated", labels: { a: "b" }, annotations: { c: "d" } },
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: "1" } },
            env: [{ name: "A", value: "b" }],
          },
        ],
        tolerations: [{ key: "a", effect: "NoExecute", tolerationSeconds: 5 }],
      },
    };
    expect((await target.post(pods, pod)).status).toBe(201);
    const seeds = [await readBytes(`${pods}/mutated`), await readBytes(`${configMaps}/sound`), enclose(meta("x"))];
    const chance = createChance(26);
    const mutate = (seed: Buffer): Buffer => {
      let bytes = Buffer.from(seed);
      for (let changes = 1 + chance(4); changes > 0; changes--) {
        const at = 4 + chance(bytes.length - 4);
        switch (chance(5)) {
          case 0:
            bytes[at]! ^= 1 << chance(8);
            break;
          case 1:
            bytes[at] = 0xff;
            break;
          case 2:
            bytes = bytes.subarray(0, Math.max(5, at));
            break;
          case 3:
            bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([chance(256)]), bytes.subarray(at)]);
            break;
          case 4:
            bytes = Buffer.concat([bytes, bytes.subarray(at, at + chance(50))]);
            break;
        }
      }
      return bytes;
    };
    await target.beside(async () => {
      for (let round = 0; round < 30; round++) {
        const bodies = Array.from({ length: 25 }, () => {
          const seed = chance(seeds.length);
          return { path: seed === 0 ? pods : configMaps, bytes: mutate(seeds[seed]!) };
        });
        const answers = await Promise.all(bodies.map(({ path, bytes }) => post(bytes, `${path}?dryRun=All`)));
        for (const [at, { status, text }] of answers.entries()) {
          const shown = status < 500 ? "" : `${bodies[at]!.bytes.toString("hex")}: ${text}`;
          expect(shown).toBe("");
          expect([201, 400, 403, 404, 406, 409, 413, 422]).toContain(status);
        }
      }
    });
  });

  test("C26 malformed protobuf: delete options are checked in the same way", async () => {
    const chance = createChance(27);
    for (let round = 0; round < 40; round++) {
      const bytes = Buffer.concat([found, Buffer.from(Array.from({ length: chance(60) }, () => chance(256)))]);
      const { status } = await target.request(`${configMaps}/none`, { method: "DELETE", bytes, type });
      expect([400, 404, 406]).toContain(status);
    }
  });

  test("C26 malformed protobuf: a binary form that is not offered is refused", async () => {
    for (const other of [
      "application/cbor",
      "application/x-protobuf",
      "application/octet-stream",
      "application/vnd.orch.protobuf;stream=watch2,x",
      "application/msgpack",
    ]) {
      const { status } = await target.request(configMaps, {
        method: "POST",
        bytes: enclose(meta("other")),
        type: other,
      });
      expect([other, status === 406 || (other.startsWith(type) && status === 201)]).toEqual([other, true]);
    }
  });
});

describe("N01 pollution through protobuf", () => {
  test("N01 pollution through protobuf: map keys with a meaning in JavaScript are ordinary keys", async () => {
    const entry = (key: string) => field(2, Buffer.concat([field(1, key), field(2, `of ${key}`)]));
    const raw = Buffer.concat([meta("proto"), entry("__proto__"), entry("constructor"), entry("toString")]);
    const answer = await post(enclose(raw));
    expect(answer.status).toBe(201);
    const { body, text } = await target.request(`${configMaps}/proto`);
    expect(Object.keys(body.data).sort()).toEqual(["__proto__", "constructor", "toString"]);
    expect(text).toContain("of __proto__");
    expect((await readBytes(`${configMaps}/proto`)).includes("of __proto__")).toBe(true);
    expect(
      Object.keys(
        (await target.post(`${configMaps}?dryRun=All`, { metadata: { name: "f" }, data: { a: "1" } })).body.data,
      ),
    ).toEqual(["a"]);
  });
});

describe("N24 hash and key floods in protobuf", () => {
  test("N24 key floods: 200,000 entries of a map in protobuf do not block other requests", async () => {
    const entries = Array.from({ length: 200_000 }, (_, at) =>
      field(2, Buffer.concat([field(1, `${at}`), field(2, "v")])),
    );
    const answer = await target.beside(() => post(enclose(Buffer.concat([meta("flood"), ...entries]))));
    expect([400, 413, 422]).toContain(answer.status);
  });

  test("N24 key floods: a million empty items of a list in protobuf do not block other requests", async () => {
    const containers = Buffer.alloc(2_000_000, Buffer.from([0x12, 0x00]));
    const pod = Buffer.concat([meta("many"), field(2, containers)]);
    const answer = await target.beside(() => post(enclose(pod, "Pod"), pods));
    expect([400, 413, 422]).toContain(answer.status);
    expect(answer.text.length).toBeLessThan(1_000_000);
  });

  test("N07 huge bodies: the limit applies to protobuf", async () => {
    const raw = Buffer.concat([meta("huge"), Buffer.alloc(3 * 1024 * 1024)]);
    expect((await post(enclose(raw))).status).toBe(413);
  });
});
