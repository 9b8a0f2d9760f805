import { afterAll, beforeAll, expect, test } from "vitest";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import {
  type Client,
  connect,
  defineResource,
  field,
  installResources,
  isInvalid,
  Lease,
  type Sent,
} from "../orch-client.ts";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  shortNames: ["wd"],
  doc: "A Widget is for tests.",
  fields: {
    spec: field.object({
      size: field.int32().atLeast(1).atMost(10).doc("How large it is."),
      color: field.optional(field.string()).oneOf(["red", "blue"]).default("red"),
      memory: field.optional(field.quantity()),
      port: field.optional(field.intOrString()),
      every: field.optional(field.duration()),
      ratio: field.optional(field.double()),
      until: field.optional(field.time()),
      hidden: field.optional(field.bool()),
      tags: field.optional(field.list(field.string().max(5), { topology: "set" })).max(3),
      parts: field
        .optional(
          field.list(field.object({ name: field.string().named("label"), count: field.optional(field.int32()) })),
        )
        .uniqueBy("name"),
      labels: field.optional(field.map(field.string())),
      anything: field.optional(field.json()),
    }),
    status: field.optional(
      field.object({ replicas: field.optional(field.int32()), phase: field.optional(field.string()) }),
    ),
  },
  columns: [{ name: "Size", type: "integer", path: ".spec.size" }],
  scale: { spec: ".spec.size", status: ".status.replicas" },
});

for (const vocabulary of ["orch", "kubernetes"] as const) {
  let server: OrchServer;
  let client: Client;
  beforeAll(async () => {
    server = await createServer({ vocabulary, controllers: false });
    client = await connect({ server });
    await installResources(client, [Widget]);
  });
  afterAll(() => server.close());

  test(`${vocabulary}: a declaration is accepted as a definition, and its objects are typed`, async () => {
    const widgets = client.of(Widget);
    const given: Sent<typeof Widget> = {
      metadata: { name: "one" },
      spec: {
        size: 3,
        memory: "1.5Gi",
        port: "http",
        every: "1h",
        ratio: 0.5,
        until: null,
        hidden: true,
        tags: ["a"],
        parts: [{ name: "p", count: 1 }],
        labels: { a: "b" },
        anything: { x: [1] },
      },
    };
    const made = await widgets.create(given);
    expect(made.spec).toEqual({ ...given.spec, color: "red" });
    await widgets.status.update({ ...made, status: { phase: "Ready", replicas: 3 } });
    expect((await widgets.scale.set("one", 7)).status?.replicas).toBe(3);
    const size: number = (await widgets.get("one")).spec.size;
    expect(size).toBe(7);
    // @ts-expect-error the declaration has no such field
    void made.spec.weight;
    await installResources(client, [Widget]); // again, as each start of a program does
  });

  test(`${vocabulary}: rules of fields are rules of the definition`, async () => {
    const bad = {
      size: 11,
      color: "green",
      memory: "much",
      hidden: true,
      tags: ["toolong"],
      parts: [{ name: "A b" }, { name: "A b" }],
    };
    const error = await client
      .of(Widget)
      .create({ metadata: { name: "bad" }, spec: bad })
      .catch((e: unknown) => e);
    // Later releases name the item.
    const inLists =
      levelDefault === "1.21"
        ? ["spec.tags", "spec.parts.name"]
        : ["spec.tags[0]", "spec.parts[0].name", "spec.parts[1].name"];
    const fields = isInvalid(error) ? error.details?.causes?.map(({ field }) => field) : String(error);
    expect(new Set(fields)).toEqual(new Set(["spec.size", "spec.color", "spec.memory", "spec.parts[1]", ...inLists]));
  });
}

test("names that no server takes are an error where they are declared", () => {
  const declare = (names: object) => () =>
    defineResource({ group: "example.com", version: "v1", kind: "Toy", resource: "toys", fields: {}, ...names });
  expect(declare({})).not.toThrow();
  const rows: [object, string][] = [
    [{ group: "apps" }, 'group of Toy: "apps" must be a domain of yours in lower case with a dot'],
    [{ group: "Example.com" }, 'group of Toy: "Example.com" must be a domain'],
    [{ group: "" }, 'group of Toy: "" must be a domain'],
    [{ resource: "Toys" }, 'resource of Toy: "Toys" must be one word in lower case without dots, such as "toys"'],
    [{ resource: "toys.example.com" }, "must be one word in lower case without dots"],
    [{ resource: "" }, "resource of Toy"],
    [{ resource: undefined, plural: "toys" }, "resource of Toy"],
    [{ singular: "a toy" }, 'singular of Toy: "a toy"'],
    [{ shortNames: ["t", "T"] }, 'shortNames of Toy: "T"'],
    [{ kind: "toy" }, 'kind of toy: "toy" must be a word of letters and digits that begins with a capital letter'],
    [{ version: "1.0" }, 'version of Toy: "1.0" must be a word in lower case, such as "v1" or "v1beta1"'],
    [{ versions: { V2: { fields: {} } } }, 'version of Toy: "V2"'],
  ];
  for (const [names, message] of rows) expect(declare(names)).toThrow(message);
});

test("what a definition cannot say is an error that names the field", () => {
  const names = { group: "example.com", version: "v1", kind: "Odd", resource: "odds" };
  const withField = (wrong: ReturnType<typeof field.string>) => () =>
    defineResource({ ...names, fields: { spec: field.object({ field: wrong }) } });
  expect(withField(field.string().immutable())).toThrow(
    "spec.field: a definition cannot say that a field keeps its value",
  );
  expect(withField(field.string().checked(() => []))).toThrow("spec.field: a definition cannot contain a function");
});

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`the waits of a server that speaks ${vocabulary} know the kinds of the client, and defined ones`, async () => {
    await using other = await createServer({ vocabulary, controllers: false });
    const own = await connect({ server: other });
    await installResources(own, [Widget]);
    await own.of(Widget).create({ metadata: { name: "one" }, spec: { size: 3 } });
    await own.of(Lease).create({ metadata: { name: "held" }, spec: { holderIdentity: "me" } });
    const widget = await other.until(Widget, "one", ({ spec }) => spec.size === 3);
    expect(widget.spec.color).toBe("red");
    const lease = await other.until(Lease, "held", ({ spec }) => spec?.holderIdentity === "me");
    await own.of(Lease).delete(lease);
    await other.untilGone(Lease, "held");
  });
