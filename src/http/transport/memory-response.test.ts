import { describe, expect, test } from "vitest";
import { wholeResponse } from "./memory-response.ts";

const text = '{"kind":"Status","message":"größer"}';
const headers = { "content-type": "application/json", "audit-id": "a", warning: ["one", "two"] };
const make = (body: Buffer | string = Buffer.from(text)) => wholeResponse("GET", 201, headers, body);

const readings: readonly [name: string, read: (response: Response) => Promise<unknown>, expected: unknown][] = [
  ["text", (response) => response.text(), text],
  ["json", (response) => response.json(), JSON.parse(text)],
  ["arrayBuffer", async (response) => Buffer.from(await response.arrayBuffer()).toString(), text],
  [
    "bytes",
    async (response) => Buffer.from(await (response as Response & { bytes(): Promise<Uint8Array> }).bytes()).toString(),
    text,
  ], // not declared for Node 20
  ["blob", async (response) => (await response.blob()).text(), text],
  ["body", (response) => new Response(response.body).text(), text],
  ["clone", (response) => response.clone().text(), text],
];

describe("an answer in memory is a Response", () => {
  test("with a status and headers", () => {
    const response = make();
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.ok, response.bodyUsed]).toEqual([201, true, false]);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/json",
      "audit-id": "a",
      warning: "one, two",
      "content-length": String(Buffer.byteLength(text)),
    });
    expect(response.headers).toBe(response.headers);
  });

  for (const [name, read, expected] of readings) {
    test(`that can be read by ${name}`, async () => {
      expect(await read(make())).toEqual(expected);
      expect(await read(make(text))).toEqual(expected);
    });
    test(`that cannot be read by ${name} after its text was`, async () => {
      const response = make();
      await response.text();
      expect(response.bodyUsed).toBe(true);
      await expect((async () => read(response))()).rejects.toThrow(TypeError);
    });
  }

  test("whose text cannot be read while its stream is", async () => {
    const response = make();
    response.body?.getReader();
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  const empty: readonly [method: string, status: number][] = [
    ["HEAD", 200],
    ["DELETE", 204],
  ];
  for (const [method, status] of empty) {
    test(`without a body for ${method} with ${status}`, async () => {
      const response = wholeResponse(method, status, headers, text);
      expect([response.body, response.headers.get("content-length")]).toEqual([null, String(Buffer.byteLength(text))]);
      expect(await response.text()).toBe("");
    });
  }
});
