import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, openTestServer, type TestServer } from "../server.fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const base = "/apis/toys.example.com/v1/namespaces/a/gadgets";
const gadget = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
type Shown = {
  metadata: { name: string; resourceVersion: string; uid: string; annotations?: object };
  spec: object;
  items: unknown[];
};
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  (await ask(server.fetch, method, path, body, headers)) as [number, Shown & Record<string, unknown>];

describe("the verbs", () => {
  test("a created object can be read, listed, replaced, patched and deleted", async () => {
    const [created, object] = await call("POST", base, gadget("g", { size: 1 }));
    expect([created, object.kind, object.apiVersion, object.spec]).toEqual([
      201,
      "Gadget",
      "toys.example.com/v1",
      { size: 1 },
    ]);
    expect(await call("GET", `${base}/g`)).toEqual([200, object]);
    const [, list] = await call("GET", `${base}?fieldSelector=metadata.name%3Dg`);
    const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
    expect([list.kind, list.items]).toEqual(["GadgetList", [item]]);
    const [replaced, next] = await call("PUT", `${base}/g`, gadget("g", { size: 2 }));
    expect([replaced, next.spec]).toEqual([200, { size: 2 }]);
    const merge = { "content-type": "application/merge-patch+json" };
    const [patched, merged] = await call("PATCH", `${base}/g`, { spec: { size: null, notes: { k: "v" } } }, merge);
    expect([patched, merged.spec]).toEqual([200, { notes: { k: "v" } }]);
    const [deleted, status] = await call("DELETE", `${base}/g`);
    expect([deleted, status.status, status["details"]]).toEqual([
      200,
      "Success",
      { name: "g", group: "toys.example.com", kind: "gadgets", uid: object.metadata.uid },
    ]);
    expect((await call("GET", `${base}/g`))[0]).toBe(404);
  });

  test("a review is answered and not stored", async () => {
    const [code, answer] = await call("POST", "/apis/toys.example.com/v1/questions", { text: "?" });
    expect([code, answer["answer"]]).toEqual([201, "42"]);
    expect((await call("GET", "/apis/toys.example.com/v1/questions/x"))[0]).toBe(404);
    expect((await call("GET", "/apis/toys.example.com/v1/questions"))[0]).toBe(405);
  });

  test("status is written through its own path", async () => {
    await call("POST", base, gadget("s", { size: 1 }));
    const [, next] = await call("PUT", `${base}/s/status`, { ...gadget("s", { size: 9 }), status: { phase: "Odd" } });
    expect([next.spec, next.status]).toEqual([{ size: 1 }, { phase: "Odd" }]);
  });

  test("concurrent writers of one object that name no version never mix their bodies", async () => {
    const [, first] = await call("POST", base, gadget("raced", { size: 0 }));
    const merge = { "content-type": "application/merge-patch+json" };
    const puts = Array.from({ length: 8 }, (_, at) => {
      const notes = { [`k${at}`]: "v" };
      return call("PUT", `${base}/raced`, gadget("raced", { size: at, notes })).then(([code, { metadata, spec }]) => {
        expect([code, metadata.uid, spec]).toEqual([200, first.metadata.uid, { size: at, notes }]);
      });
    });
    const patches = Array.from({ length: 8 }, (_, at) =>
      call("PATCH", `${base}/raced`, { metadata: { annotations: { [`a${at}`]: "v" } } }, merge).then(([code]) => {
        expect(code).toBe(200);
      }),
    );
    await Promise.all([...puts, ...patches]);
    const [, last] = await call("GET", `${base}/raced`);
    expect(Object.keys((last.spec as { notes: object }).notes)).toHaveLength(1);
  });

  test("a collection is deleted with a Status", async () => {
    const [code, status] = await call("DELETE", base);
    expect([code, status.kind, status.status]).toEqual([200, "Status", "Success"]);
    expect((await call("GET", base))[1].items).toEqual([]);
  });
});

describe("paths and methods that do not exist", () => {
  const group = "/apis/toys.example.com/v1";
  const cases: [method: string, path: string, code: number, why: string][] = [
    ["GET", `${group}/namespaces/a/shelves`, 404, "a cluster-wide kind below a namespace"],
    ["GET", `${group}/namespaces/a/shelves/x`, 404, "an object of a cluster-wide kind below a namespace"],
    ["DELETE", `${group}/namespaces/a/shelves/x`, 404, "the deletion of a cluster-wide object below a namespace"],
    ["GET", `${group}/gadgets/x`, 404, "an object of a namespaced kind without its namespace"],
    ["POST", `${group}/gadgets`, 405, "creation without a namespace"],
    ["DELETE", `${group}/gadgets`, 405, "deletion in all namespaces"],
    ["POST", `${base}/x`, 405, "creation at a name"],
    ["PUT", base, 405, "replacing a collection"],
    ["OPTIONS", base, 405, "a method of browsers"],
    ["TRACE", base, 405, "a method of attackers"],
    ["PROPFIND", base, 405, "a made-up method"],
    ["HEAD", base, 405, "HEAD of a resource"],
    ["GET", `${base}/x/nothing`, 404, "an unknown subresource"],
    ["POST", `${base}/x/status`, 405, "creating a status"],
    ["GET", "/api/v1/constructor", 404, "a name that every object inherits"],
    ["GET", "/apis/toys.example.com/v9/gadgets", 404, "an unknown version"],
    ["DELETE", "/api/v1/namespaces", 405, "a kind without deletecollection"],
    ["GET", "/api/v1/watch", 404, "a watch path without a resource"],
    ["POST", `${group}/watch/gadgets`, 405, "writing to the deprecated path of a watch"],
    ["DELETE", `${group}/watch/namespaces/a/gadgets`, 405, "deleting there"],
    ["GET", `${group}/watch/questions`, 404, "a watch of a kind that cannot be watched"],
    ["POST", "/apis/toys.example.com/v1", 405, "writing to discovery"],
  ];
  for (const [method, path, code, why] of cases) {
    test(`${method} ${path}: ${why}`, async () => {
      const [status, body] = await call(method, path);
      expect(status).toBe(code);
      if (method !== "HEAD") expect([body.kind, body["details"]]).toEqual(["Status", {}]);
    });
  }

  test("a name with a percent sign is refused without a lookup", async () => {
    const name = `${base}/a%25b`;
    for (const method of ["GET", "DELETE"]) expect(await call(method, name)).toMatchObject([400, { kind: "Status" }]);
    expect(await call("PUT", name, gadget("a%b"))).toMatchObject([400, { kind: "Status" }]);
    expect(await call("GET", `${base}/a%20b`)).toMatchObject([404, { details: { name: "a b" } }]);
  });

  test("an unknown group is answered in plain text", async () => {
    expect(await call("GET", "/apis/nope.example.com/v1/foos")).toEqual([404, "404 page not found\n"]);
  });
});

describe("bodies", () => {
  const cases: [body: string, type: string, code: number, why: string][] = [
    ["{", "application/json", 400, "no JSON"],
    ["", "application/json", 400, "nothing"],
    ['"text"', "application/json", 400, "no object"],
    ["null", "application/json", 422, "an empty object, which has no name"],
    ['{"kind":"Shelf"}', "application/json", 400, "another kind"],
    ['{"apiVersion":"v1"}', "application/json", 400, "another version"],
    ['{"Kind":"Shelf","kind":"Gadget"}', "application/json", 400, "another kind, in another case"],
    ['{"metadata":{"name":"x"},"spec":{"size":3.0}}', "application/json", 400, "3.0 is no integer"],
    ['{"metadata":{"name":"x","namespace":"b"}}', "application/json", 400, "another namespace"],
    ["{}", "text/plain", 406, "an unsupported content type"],
    ["{}", "multipart/form-data", 406, "content types that a form of another site could send"],
    ["metadata: {name: yam}", "application/yaml", 201, "YAML"],
    ['{"metadata":{"name":"z"}}', "APPLICATION/JSON; charset=utf-8", 201, "types in any case, with parameters"],
  ];
  for (const [body, type, code, why] of cases) {
    test(`${body}: ${why}`, async () => {
      const response = await server.fetch(base, { method: "POST", body, headers: { "content-type": type } });
      expect(response.status).toBe(code);
    });
  }

  test("the refusal of another kind names the kind of the body and that of the path", async () => {
    const message = async (body: object) => ((await call("POST", base, body))[1] as { message?: string }).message;
    const known = "the object provided is unrecognized (must be of type Gadget)"; // clients match on this phrase
    const path = "this path is for toys.example.com/v1";
    expect(await message({ kind: "Shelf" })).toBe(`${known}: it is of kind Shelf, ${path}`);
    expect(await message({ apiVersion: "v1", kind: "Shelf" })).toBe(`${known}: it is of kind Shelf, ${path}`);
    expect(await message({ kind: "Gadget", apiVersion: "v1" })).toBe(
      "the API version in the data (v1) does not match the expected API version (toys.example.com/v1)",
    );
  });

  test("a body over the limit is refused before it is read", async () => {
    const body = Buffer.alloc(3 * 1024 * 1024 + 1, 0x20);
    expect((await server.fetch(base, { method: "POST", body })).status).toBe(413);
  });

  test("a compressed body is refused", async () => {
    const headers = { "content-encoding": "gzip" };
    expect((await server.fetch(base, { method: "POST", body: "{}", headers })).status).toBe(415);
  });

  test("a PUT checks its options before its content type, a POST the other way round", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await server.fetch(`${base}/x?dryRun=Maybe`, { method: "PUT", body: "{", headers })).status).toBe(422);
    expect((await server.fetch(`${base}?dryRun=Maybe`, { method: "POST", body: "{", headers })).status).toBe(406);
  });

  test("the type of the answer is checked before the type of the body, and both before the body is read", async () => {
    const headers = { accept: "text/html", "content-type": "text/html" };
    expect((await server.fetch(base, { method: "POST", body: "{", headers })).status).toBe(406);
    expect((await server.fetch(base, { method: "POST", body: "{", headers: { "content-type": "a/b" } })).status).toBe(
      406,
    );
  });
});

describe("options", () => {
  const post = (query: string, body: object = gadget("opt")) => call("POST", `${base}?${query}`, body);
  test("dryRun must be All or absent", async () => {
    expect((await post("dryRun=All"))[0]).toBe(201);
    expect((await call("GET", `${base}/opt`))[0]).toBe(404);
    const [code, body] = await post("dryRun=Maybe");
    expect([code, (body["details"] as { kind: string }).kind]).toEqual([422, "CreateOptions"]);
  });

  test("fieldManager has at most 128 printable characters", async () => {
    expect((await post(`dryRun=All&fieldManager=${"m".repeat(128)}`))[0]).toBe(201);
    expect((await post(`dryRun=All&fieldManager=${"m".repeat(129)}`))[0]).toBe(422);
    expect((await post("dryRun=All&fieldManager=a%00b"))[0]).toBe(422);
  });

  test("all invalid options of a patch are reported together", async () => {
    const causesOf = async (type: string, query: string) => {
      const headers = { "content-type": type };
      const answer = await server.fetch(`${base}/x?${query}`, { method: "PATCH", body: "{}", headers });
      const { details } = (await answer.json()) as { details: { causes: { field: string }[] } };
      return details.causes.map(({ field }) => field);
    };
    const wrong = `dryRun=Maybe&force=1&fieldManager=${"m".repeat(129)}`;
    expect(await causesOf("application/merge-patch+json", wrong)).toEqual(["force", "fieldManager", "dryRun"]);
    expect(await causesOf("application/apply-patch+yaml", "dryRun=Maybe")).toEqual(["fieldManager", "dryRun"]);
  });

  test("numbers in the query must be integers", async () => {
    for (const odd of ["x", "0x10", "1e3", "", " 1", "NaN", "1.5", "9223372036854775808"]) {
      expect((await call("GET", `${base}?limit=${encodeURIComponent(odd)}`))[0]).toBe(400);
    }
    for (const whole of ["5", "%2B5", "9223372036854775807"]) {
      expect((await call("GET", `${base}?limit=${whole}`))[0]).toBe(200);
    }
    expect((await call("GET", `${base}?timeoutSeconds=soon`))[0]).toBe(400);
  });

  test("a deletecollection whose query is broken deletes nothing", async () => {
    await call("POST", base, gadget("kept"));
    expect((await call("DELETE", `${base}?labelSelector=%zz`))[0]).toBe(400);
    expect((await call("GET", `${base}/kept`))[0]).toBe(200);
  });

  test("the resourceVersion of a deletecollection is also a precondition of each object", async () => {
    const base = "/apis/toys.example.com/v1/namespaces/versioned/gadgets";
    const [, { metadata }] = await call("POST", base, gadget("one"));
    expect((await call("DELETE", `${base}?resourceVersion=0`))[0]).toBe(409);
    expect((await call("DELETE", `${base}?uid=other`))[0]).toBe(409);
    expect((await call("GET", `${base}/one`))[0]).toBe(200);
    expect((await call("DELETE", `${base}?resourceVersion=${metadata.resourceVersion}`))[0]).toBe(200);
    expect((await call("GET", `${base}/one`))[0]).toBe(404);
  });

  test("a deletecollection with a limit says where to continue and how many are left", async () => {
    const base = "/apis/toys.example.com/v1/namespaces/limited/gadgets";
    for (const name of ["l1", "l2", "l3", "l4", "l5"]) await call("POST", base, gadget(name));
    const next = async (query: string) => {
      const answer = await server.fetch(`${base}?${query}`, { method: "DELETE" });
      const { metadata } = (await answer.json()) as { metadata: { continue?: string; remainingItemCount?: number } };
      return metadata;
    };
    const first = await next("limit=2");
    expect(first).toEqual({ continue: expect.any(String), remainingItemCount: 3 });
    const second = await next(`limit=2&continue=${first.continue}`);
    expect(second).toEqual({ continue: expect.any(String), remainingItemCount: 1 });
    expect(await next(`limit=2&continue=${second.continue}`)).toEqual({});
    expect((await call("GET", base))[1]).toMatchObject({ items: [] });
  });

  test("delete options come from the body or, without one, from the query", async () => {
    const bad = [
      ["DELETE", `${base}/kept?propagationPolicy=Sideways`, undefined, 422],
      ["DELETE", `${base}/kept`, { kind: "DeleteOptions", propagationPolicy: "Sideways" }, 422],
      ["DELETE", `${base}/kept?propagationPolicy=`, undefined, 422],
      ["DELETE", `${base}/kept?gracePeriodSeconds=soon`, undefined, 400],
      ["DELETE", `${base}/kept`, { kind: "Nonsense" }, 400],
      ["DELETE", `${base}/kept`, { gracePeriodSeconds: "soon" }, 400],
      ["DELETE", `${base}/kept?uid=other`, undefined, 409],
      ["DELETE", `${base}/kept`, { preconditions: { uid: "other" } }, 409],
    ] as const;
    for (const [method, path, body, code] of bad) expect((await call(method, path, body))[0]).toBe(code);
    expect((await call("DELETE", `${base}/kept?uid=other`, { kind: "DeleteOptions" }))[0]).toBe(200);
  });

  test("a patch must name its type, and only an apply may be forced", async () => {
    await call("POST", base, gadget("patched"));
    const patch = (type: string, query = "") => call("PATCH", `${base}/patched${query}`, {}, { "content-type": type });
    expect((await patch("application/json"))[0]).toBe(406);
    expect((await patch("application/merge-patch+json"))[0]).toBe(200);
    expect((await patch("application/merge-patch+json", "?force=true"))[0]).toBe(422);
    expect((await patch("application/apply-patch+yaml"))[0]).toBe(422);
  });
});
