import { describe, expect, test } from "vitest";
import {
  ask,
  type Body,
  definition,
  definitions,
  eventually,
  merge,
  spec,
  version,
  widget,
  widgets,
  withServer,
} from "./custom-resources.suite.ts";

describe("a custom resource", () => {
  test("is served in the request after its definition was created: pruned, defaulted, validated", () =>
    withServer(async (server) => {
      const made = await ask(server, "POST", widgets, widget("a", { spec: { color: "red", unknown: 1 }, more: 1 }));
      expect(made).toMatchObject({ status: 201, body: { kind: "Widget", metadata: { name: "a", generation: 1 } } });
      expect(made.body["spec"]).toEqual({ color: "red", size: 1 });
      expect(made.body["more"]).toBeUndefined();
      expect((await ask(server, "GET", `${widgets}/a`)).body["spec"]).toEqual({ color: "red", size: 1 });
      const wrong = await ask(server, "POST", widgets, widget("b", { spec: { size: "x" } }));
      expect(wrong).toMatchObject({ status: 422, body: { details: { causes: [{ field: "spec.size" }] } } });
    }));

  test("is listed with its kind, selected by label, and removed by its delete", () =>
    withServer(async (server) => {
      for (const name of ["a", "b"])
        await ask(server, "POST", widgets, { ...widget(name), metadata: { name, labels: { is: name } } });
      const { body } = await ask(server, "GET", `${widgets}?labelSelector=is%3Db`);
      expect(body).toMatchObject({ kind: "WidgetList", items: [{ kind: "Widget", metadata: { name: "b" } }] });
      expect((await ask(server, "DELETE", `${widgets}/b`)).status).toBe(200);
      expect((await ask(server, "GET", `${widgets}/b`)).status).toBe(404);
    }));

  test("is changed by merge patch, JSON patch and apply, but not by strategic merge patch", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, widget("a", { spec: { size: 2 } }));
      const merged = await ask(server, "PATCH", `${widgets}/a`, { spec: { color: "blue" } }, merge);
      expect(merged).toMatchObject({ status: 200, body: { metadata: { generation: 2 }, spec: { color: "blue" } } });
      const strategic = "application/strategic-merge-patch+json";
      expect((await ask(server, "PATCH", `${widgets}/a`, {}, strategic)).status).toBe(406);
      const apply = "application/apply-patch+yaml";
      const applied = await ask(
        server,
        "PATCH",
        `${widgets}/a?fieldManager=m`,
        widget("a", { spec: { size: 5 } }),
        apply,
      );
      expect(applied).toMatchObject({ status: 409, body: { reason: "Conflict" } });
    }));

  test("has a separate status if the definition has the subresource", () =>
    withServer(
      async (server) => {
        const made = await ask(server, "POST", widgets, widget("a", { status: { phase: "x" } }));
        expect(made.body["status"]).toBeUndefined();
        const patch = { status: { phase: "ok" }, spec: { size: 7 } };
        const patched = await ask(server, "PATCH", `${widgets}/a/status`, patch, merge);
        expect(patched.body).toMatchObject({ status: { phase: "ok" }, metadata: { generation: 1 } });
        const wrong = await ask(server, "PATCH", `${widgets}/a/status`, { status: { phase: 1 } }, merge);
        expect(wrong).toMatchObject({ status: 422, body: { details: { causes: [{ field: "status.phase" }] } } });
      },
      definition({ versions: [version("v1", { subresources: { status: {} } })] }),
    ));

  test("keeps the managers of an apply and of an apply to its status", () =>
    withServer(
      async (server) => {
        const applyTo = (path: string, manager: string, more: object) =>
          ask(server, "PATCH", `${path}?fieldManager=${manager}`, widget("a", more), "application/apply-patch+yaml");
        await applyTo(`${widgets}/a`, "ofSpec", { spec: { size: 2 } });
        const applied = await applyTo(`${widgets}/a/status`, "ofStatus", {
          status: { phase: "ok" },
          spec: { size: 3 },
        });
        expect(applied.body).toMatchObject({ spec: { size: 2 }, status: { phase: "ok" } });
        const owned = (await ask(server, "GET", `${widgets}/a`)).body["metadata"] as { managedFields: Body[] };
        expect(
          owned.managedFields.map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 })),
        ).toEqual([
          { manager: "ofSpec", operation: "Apply", fieldsV1: { "f:spec": { "f:size": {} } } },
          { manager: "ofStatus", operation: "Apply", fieldsV1: { "f:status": { "f:phase": {} } } },
        ]);
        const taken = await applyTo(`${widgets}/a/status`, "other", { status: { phase: "no" } });
        expect(taken).toMatchObject({ status: 409, body: { reason: "Conflict" } });
      },
      definition({ versions: [version("v1", { subresources: { status: {} } })] }),
    ));

  test("has its metadata in protobuf, and nothing else", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, widget("a"));
      const accepted = async (path: string, as: string) => {
        const accept = `application/vnd.orch.protobuf${as === "" ? "" : `;as=${as};g=meta.orch.io;v=v1`}`;
        const response = await server.fetch(path, { headers: { accept } });
        const bytes = Buffer.from(await response.arrayBuffer());
        return [response.status, response.headers.get("content-type"), bytes.includes(as === "" ? "Status" : as)];
      };
      const protobuf = "application/vnd.orch.protobuf";
      expect(await accepted(`${widgets}/a`, "PartialObjectMetadata")).toEqual([200, protobuf, true]);
      expect(await accepted(widgets, "PartialObjectMetadataList")).toEqual([200, protobuf, true]);
      const watched = await accepted(`${widgets}?watch=1&timeoutSeconds=1`, "PartialObjectMetadata");
      expect(watched).toEqual([200, `${protobuf};stream=watch`, true]);
      expect(await accepted(`${widgets}/a`, "")).toEqual([406, protobuf, true]);
      expect((await accepted(`${widgets}/a`, "Table"))[0]).toBe(406);
    }));

  test("has its own answers for paths that do not exist", () =>
    withServer(async (server) => {
      for (const path of ["/apis/example.com/v9", "/apis/example.com/v9/widgets", "/apis/example.com/v1/others"]) {
        expect(await ask(server, "GET", path)).toEqual({ status: 404, body: { text: "404 page not found\n" } });
      }
      // Built-in groups answer with a Status.
      expect(await ask(server, "GET", "/apis/apps/v9")).toMatchObject({ status: 404, body: { reason: "NotFound" } });
      const details = { name: "a", group: "example.com", kind: "widgets" };
      for (const below of ["other", "other/more"]) {
        const found = await ask(server, "GET", `${widgets}/a/${below}`);
        expect(found).toMatchObject({ status: 404, body: { reason: "NotFound", details } });
      }
    }));

  test("can be scaled if the definition has the subresource", () =>
    withServer(
      async (server) => {
        await ask(server, "POST", widgets, widget("a", { spec: { size: 2 } }));
        const shown = await ask(server, "GET", `${widgets}/a/scale`);
        expect(shown.body).toMatchObject({ kind: "Scale", spec: { replicas: 2 }, status: { replicas: 0 } });
        const patched = await ask(server, "PATCH", `${widgets}/a/scale`, { spec: { replicas: 4 } }, merge);
        expect(patched).toMatchObject({ status: 200, body: { spec: { replicas: 4 } } });
        expect((await ask(server, "GET", `${widgets}/a`)).body["spec"]).toMatchObject({ size: 4 });
      },
      definition({
        versions: [
          version("v1", {
            subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
          }),
        ],
      }),
    ));
});

describe("several versions", () => {
  const versions = [
    version("v1"),
    version("v2", { schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }),
  ];
  const second = widgets.replace("v1", "v2");

  test("show one object, each with the fields of its schema", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, widget("a", { spec: {}, status: { phase: "x" } }));
      expect((await ask(server, "GET", `${second}/a`)).body).toEqual({
        ...(await ask(server, "GET", `${widgets}/a`)).body,
        apiVersion: "example.com/v2",
        status: undefined,
      });
      const other = await ask(server, "POST", widgets, widget("b", {}, "example.com/v2"));
      expect(other.status).toBe(400);
    }, definition({ versions })));

  test("keep stored objects when another version becomes the stored one", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, widget("a", { spec: { color: "red" } }));
      const [one, two] = versions;
      const next = [
        { ...one, storage: false },
        { ...two, storage: true },
      ];
      const change = { spec: { versions: next } };
      expect((await ask(server, "PATCH", `${definitions}/widgets.example.com`, change, merge)).status).toBe(200);
      for (const path of [widgets, second])
        expect((await ask(server, "GET", `${path}/a`)).body["spec"]).toEqual({ color: "red", size: 1 });
      const patched = await ask(server, "PATCH", `${second}/a`, { spec: { size: 3 } }, merge);
      expect(patched.body["spec"]).toEqual({ color: "red", size: 3 });
    }, definition({ versions })));
});

describe("a definition that changes", () => {
  const path = `${definitions}/widgets.example.com`;
  const withSpec = (properties: object) => {
    const next = { type: "object", properties: { spec: { type: "object", properties } } };
    return { spec: { versions: [version("v1", { schema: { openAPIV3Schema: next } })] } };
  };

  test("shows new defaults at once, stores them with the next write, and drops removed ones", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, widget("a", { spec: { color: "red" } }));
      const read = async () => (await ask(server, "GET", `${widgets}/a`)).body["spec"];
      const color = { type: "string" };
      const shape = { type: "string", default: "round" };
      await ask(server, "PATCH", path, withSpec({ color, shape }), merge);
      expect(await read()).toEqual({ color: "red", shape: "round" });
      await ask(server, "PATCH", path, withSpec({ color, shape: { type: "string" } }), merge);
      expect(await read()).toEqual({ color: "red" });
      await ask(server, "PATCH", path, withSpec({ color, shape }), merge);
      await ask(server, "PATCH", `${widgets}/a`, { metadata: { labels: { a: "b" } } }, merge);
      await ask(server, "PATCH", path, withSpec({ color, shape: { type: "string" } }), merge);
      expect(await read()).toEqual({ color: "red", shape: "round" });
    }));

  test("also applies to objects that have not been read since: in lists, by label, and after a delete", () =>
    withServer(async (server) => {
      for (const name of ["a", "b"])
        await ask(
          server,
          "POST",
          widgets,
          widget(name, { metadata: { name, labels: { name } }, spec: { color: "red" } }),
        );
      const color = { type: "string" };
      for (const shape of ["round", "square", "flat"])
        await ask(server, "PATCH", path, withSpec({ color, shape: { type: "string", default: shape } }), merge);
      const specs = async (query: string) =>
        ((await ask(server, "GET", `${widgets}${query}`)).body["items"] as { spec: object }[]).map(({ spec }) => spec);
      expect(await specs("?labelSelector=name%3Db")).toEqual([{ color: "red", shape: "flat" }]);
      const gone = await ask(server, "DELETE", `${widgets}/a`);
      expect(gone.status).toBe(200);
      await ask(server, "PATCH", path, withSpec({ color }), merge);
      expect(await specs("")).toEqual([{ color: "red" }]);
    }));

  test("ends the watches of its kind", () =>
    withServer(async (server) => {
      const response = await server.fetch(`${widgets}?watch=1`);
      await ask(server, "PATCH", path, withSpec({ size: { type: "integer" } }), merge);
      expect(await response.text()).toBe("");
    }));
});

describe("a deleted definition", () => {
  const path = `${definitions}/widgets.example.com`;

  test("deletes its objects, notifies their watchers, and is no longer served", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, widget("a"));
      const response = await server.fetch(`${widgets}?watch=1`);
      await ask(server, "DELETE", path);
      await eventually(async () => (await ask(server, "GET", path)).status === 404);
      expect((await ask(server, "GET", widgets)).status).toBe(404);
      expect(await response.text()).toContain("DELETED");
      await ask(server, "POST", definitions, definition());
      expect((await ask(server, "GET", widgets)).body["items"]).toEqual([]);
    }));

  test("waits for objects that finalizers hold, and accepts no new ones meanwhile", () =>
    withServer(async (server) => {
      await ask(server, "POST", widgets, { ...widget("a"), metadata: { name: "a", finalizers: ["example.com/x"] } });
      await ask(server, "DELETE", path);
      await eventually(async () => {
        const { metadata } = (await ask(server, "GET", `${widgets}/a`)).body as { metadata: Body };
        return metadata["deletionTimestamp"] !== undefined;
      });
      expect((await ask(server, "POST", widgets, widget("b"))).status).toBe(405);
      await ask(server, "PATCH", `${widgets}/a`, { metadata: { finalizers: null } }, merge);
      await eventually(async () => (await ask(server, "GET", path)).status === 404);
    }));
});

describe("names", () => {
  test("belong to the first definition; the second is served when the first is deleted", () =>
    withServer(async (server) => {
      const gadgets = "/apis/example.com/v1/namespaces/default/gadgets";
      expect((await ask(server, "POST", definitions, definition({ name: "gadgets" }))).status).toBe(201);
      expect((await ask(server, "GET", gadgets)).status).toBe(404);
      await ask(server, "DELETE", `${definitions}/widgets.example.com`);
      await eventually(async () => (await ask(server, "GET", gadgets)).status === 200);
      expect((await ask(server, "GET", widgets)).status).toBe(404);
    }));

  test("of a cluster-wide kind cannot be reached under a namespace", () =>
    withServer(
      async (server) => {
        const cluster = "/apis/example.com/v1/widgets";
        expect((await ask(server, "POST", cluster, widget("a"))).status).toBe(201);
        for (const [method, path, body] of [
          ["GET", widgets],
          ["GET", `${widgets}/a`],
          ["POST", widgets, widget("b")],
          ["PUT", `${widgets}/a`, widget("a")],
          ["PATCH", `${widgets}/a`, {}],
          ["DELETE", `${widgets}/a`],
          ["DELETE", widgets],
          ["GET", `${widgets}?watch=1`],
        ] as const)
          expect((await ask(server, method, path, body, method === "PATCH" ? merge : undefined)).status).toBe(404);
      },
      definition({ scope: "Cluster" }),
    ));
});
