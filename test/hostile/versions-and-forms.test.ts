/**
 * Objects of one shape each, about as large as a request may be, through every version that a level serves, every form and every kind of
 * patch: no turn of the event loop is long.
 *
 * `LONG_TESTS=1` tries every shape, which takes a quarter of an hour; a run of all tests tries a few at each level.
 */

import { describe, expect, test } from "vitest";
import type { Level } from "../../src/machinery/schema/levels.ts";
import { items, type Shape, shapes } from "./large-shapes.ts";
import { type Answer, checkTurns, createChance, type RequestOptions, useTarget } from "./target.ts";

const allLevels: readonly Level[] = ["1.21", "1.35", "1.37"];
const limit = 600_000;
/** Beside each other in a list. */
const copies = 3;
const fewShapes = 3;

const protobuf = "application/vnd.orch.protobuf";
const forms = [
  "application/json",
  "application/yaml",
  protobuf,
  "application/json;as=Table;v=v1;g=meta.orch.io",
  `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.orch.io`,
];

/** All of them, or some that a seed chooses. */
function chosen(): readonly (readonly [number, Shape])[] {
  const all = [...shapes.entries()];
  if (process.env["LONG_TESTS"] !== undefined) return all;
  const below = createChance(
    Number(process.env["PROPERTY_SEED"] ?? (process.env["CI"] === "true" ? 1 : Date.now() % 100_000)),
  );
  return items(fewShapes, () => all.splice(below(all.length), 1)[0]!);
}

for (const level of allLevels) {
  describe(`at level ${level}`, () => {
    const target = useTarget({
      explainsTurns: true,
      flags: () => [`--emulated-version=${level}`, "--runtime-config=api/all=true"],
    });

    for (const [at, shape] of chosen())
      test(shape.what, { timeout: limit }, async () => {
        const served: string[] = [];
        for (const collection of shape.collections)
          if ((await target.request(collection)).status === 200) served.push(collection);
        if (served.length === 0) return;
        const cost = await target.cost(async () => {
          const names = items(copies, (copy) => `x${at}-${copy}`);
          const own = served.find((collection) => collection === shape.collections[0]) ?? served[0]!;
          const made: string[] = [];
          let refusal = "";
          for (const name of names) {
            refusal = await create(shape, own, name);
            if (refusal === "") made.push(name);
          }
          expect(made.length, refusal).toBeGreaterThan(0);
          for (const collection of served) await use(collection, made[0]!);
          for (const name of made)
            expect((await send(`${own}/${name}`, { method: "DELETE" })).status).toBeLessThan(300);
        });
        checkTurns(cost);
      });

    /** A transient refusal of a server that is busy is no answer. */
    async function send(path: string, options: RequestOptions = {}): Promise<Answer> {
      for (;;) {
        const answer = await target.request(path, options);
        if (answer.status !== 429) return answer;
        await new Promise((done) => setTimeout(done, 200));
      }
    }

    /** As large as it is accepted. Returns what was wrong with the smallest one; "": it was made. */
    async function create({ make, counts }: Shape, collection: string, name: string): Promise<string> {
      let refusal = "";
      for (let count = counts; count > 0; count = Math.floor(count * 0.7)) {
        const { metadata, ...rest } = make(count) as { readonly metadata?: object };
        const body = { ...rest, metadata: { labels: { app: "a" }, ...metadata, name } };
        const { status, text } = await send(collection, { method: "POST", body });
        if (status === 201) return "";
        refusal = text.slice(0, 300);
        expect([413, 422, 400, 403], refusal).toContain(status);
      }
      return refusal;
    }

    async function use(collection: string, name: string): Promise<void> {
      const path = `${collection}/${name}`;
      for (const accept of forms) {
        const one = await send(path, { headers: { accept } });
        if (accept === protobuf && one.status === 200)
          await send(path, { method: "PUT", bytes: one.bytes, type: protobuf });
        await send(collection, { headers: { accept } });
      }
      const { body } = await send(path);
      const annotated = (value: string) => ({ metadata: { annotations: { changed: value } } });
      const patch = (type: string, given: unknown, query = "") =>
        send(`${path}${query}`, { method: "PATCH", type, body: given });
      await patch("application/merge-patch+json", annotated("merge"));
      await patch("application/strategic-merge-patch+json", annotated("strategic"));
      await patch("application/json-patch+json", [{ op: "add", path: "/metadata/labels/json", value: "patch" }]);
      const { managedFields: _, resourceVersion: __, ...metadata } = body.metadata;
      await patch(
        "application/apply-patch+yaml",
        { ...body, metadata, status: undefined },
        "?fieldManager=m&force=true",
      );
      const { body: now } = await send(path);
      const changed = {
        ...now,
        metadata: { ...now.metadata, labels: { ...now.metadata.labels, put: "yes" } },
      };
      const put = await send(`${path}?fieldManager=other`, { method: "PUT", body: changed });
      expect([200, 409, 422], put.text.slice(0, 300)).toContain(put.status);
      if (put.status === 200) await send(path, { method: "PUT", body: changed });
    }
  });
}
