import { describe, expect, it } from "vitest";
import { seededSource } from "../../src/machinery/schema/arbitrary.suite.ts";
import type { OrchServer } from "../../src/main/library/options.ts";
import { createServer } from "../../src/main/library.ts";
import { seededQuestions } from "./compare.ts";
import { openPartner, whyNoPartners } from "./partner.ts";
import { Choice } from "./random-patches.ts";
import { objectSchema, randomValue } from "./random-schemas.ts";

interface Write {
  readonly operation: "create" | "update" | "apply";
  readonly manager: string;
  readonly force: boolean;
  readonly object: Record<string, unknown>;
}

interface Question {
  readonly definition: ReturnType<typeof definitionOf>;
  readonly writes: readonly Write[];
}

const group = "compare.example.com";
const apiVersion = `${group}/v1`;

/** How many writes one object gets, and as many differences as a failure shows. */
const writesPerObject = 12;
const shownMax = 5;

describe.skipIf(whyNoPartners !== undefined)(
  `custom resources as the reference keeps them ${whyNoPartners ?? ""}`,
  () => {
    it("has the same values, owners and refusals after random writes by several managers", async () => {
      await using partner = openPartner("custom-resources");
      await using server = await createServer({
        emulatedVersion: "1.35",
        vocabulary: "kubernetes",
        authorization: "AlwaysAllow",
        controllers: false,
      });
      const asked = seededQuestions((seed) => questionOf(new Choice(seededSource(seed))), 150);
      const theirs = await partner.ask<unknown>(asked);
      const found: unknown[] = [];
      for (const [index, question] of asked.entries()) {
        if (!Array.isArray(theirs[index])) continue; // not a definition
        const ours = await answersOf(server, question);
        const at = ours.findIndex((one, write) => !isSame(one, inOrder((theirs[index] as unknown[])[write])));
        if (at < 0 || isLeftNull((theirs[index] as unknown[])[at], ours[at])) continue;
        const { spec } = question.definition.spec.versions[0]!.schema.openAPIV3Schema.properties;
        const writes = question.writes.slice(0, at + 1);
        found.push(JSON.stringify({ spec, writes, theirs: (theirs[index] as unknown[])[at], ours: ours[at] }));
        if (found.length === shownMax) break;
      }
      expect(found).toEqual([]);
    });
  },
);

/** Of a map with an unknown member the reference tells what it comes to before that, in any order; we tell all. */
function isSame(ours: unknown, theirs: unknown): boolean {
  const [our, their] = [ours, theirs] as { refused?: string; words?: string[] }[]; // both are objects
  const unknown = "field not declared in schema";
  if (!our?.words || !their?.words?.some((line) => line.includes(unknown))) return text(ours) === text(theirs);
  const told = new Set(problemsOf(our.words));
  return problemsOf(their.words).every((line) => told.has(line));
}

/** Of one line, or of several below the first. */
const problemsOf = (words: readonly string[]) =>
  words.map((line) => line.replace(/^failed to .*?\): /, "").trim()).filter((line) => line !== "errors:");

/** Where an apply removes all members of an object, the reference leaves null, and refuses what it made (docs/differences.md). */
function isLeftNull(theirs: unknown, ours: unknown): boolean {
  const refusal = theirs as { refused?: string; fields?: string[] }; // both are objects
  const told = new Set((ours as { fields?: string[] }).fields);
  const isOfType = (field: string) => field.startsWith("FieldValueTypeInvalid ") && !told.has(field);
  return refusal.refused === "invalid" && refusal.fields?.some(isOfType) === true;
}

function questionOf(choice: Choice): Question {
  const { chance, pick } = choice;
  const spec = objectSchema(choice);
  // Definitions are deleted in the background, so that each has a name of its own.
  const name = `w${choice.below(2 ** 30)}x${choice.below(2 ** 30)}`;
  const kind = name.toUpperCase();
  const write = (_: unknown, index: number): Write => {
    const operation = pick<Write["operation"]>([index === 0 ? "create" : "update", "apply", "apply"]);
    // An updater would own the labels themselves, which stay as null there when an applier removes the last one.
    const labels = operation === "apply" && chance(20) ? { labels: { a: pick(["1", "2"]) } } : {};
    return {
      operation,
      manager: pick(["m1", "m2", "m3"]),
      force: chance(50),
      object: {
        apiVersion,
        kind,
        metadata: { name: "a", namespace: "default", ...labels },
        spec: randomValue(spec, choice, pick([0, 0, 0, 3, 10])),
      },
    };
  };
  const writes = Array.from({ length: writesPerObject }, write);
  return JSON.parse(JSON.stringify({ definition: definitionOf(name, spec), writes })) as Question;
}

const definitionOf = (name: string, spec: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}s.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: `${name}s`, singular: name, kind: name.toUpperCase(), listKind: `${name.toUpperCase()}List` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
  },
});

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function answersOf(server: OrchServer, { definition, writes }: Question): Promise<unknown[]> {
  const made = await send(server, "POST", definitions, definition);
  if (made.status !== 201) return [{ refused: "definition", message: made.body["message"] }];
  const objects = `/apis/${apiVersion}/namespaces/default/${definition.spec.names.plural}`;
  const answers: unknown[] = [];
  for (const { operation, manager, force, object } of writes) {
    const query = `?fieldManager=${manager}${operation === "apply" ? `&force=${force}` : "&fieldValidation=Ignore"}`;
    const [method, path, type] =
      operation === "create"
        ? ["POST", objects, "application/json"]
        : operation === "update"
          ? ["PUT", `${objects}/a`, "application/json"]
          : ["PATCH", `${objects}/a`, "application/apply-patch+yaml"];
    const version = operation === "update" ? await versionOf(server, `${objects}/a`) : undefined;
    const metadata = { ...(object["metadata"] as object), ...(version && { resourceVersion: version }) }; // it has one
    answers.push(told(operation, await send(server, method, path + query, { ...object, metadata }, type)));
  }
  await send(server, "DELETE", `${objects}/a`);
  await send(server, "DELETE", `${definitions}/${definition.metadata.name}`);
  return answers;
}

/** An update must name the version that it replaces. */
async function versionOf(server: OrchServer, path: string): Promise<string | undefined> {
  const { body } = await send(server, "GET", path);
  return (body as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;
}

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function send(
  server: OrchServer,
  method: string,
  path: string,
  body?: object,
  type = "application/json",
): Promise<Reply> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } };
  const response = await server.fetch(path, { method, ...sent });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

interface Told {
  readonly spec?: unknown;
  readonly metadata?: { readonly labels?: unknown; readonly managedFields?: readonly Record<string, unknown>[] };
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field: string }[] };
}

function told(operation: Write["operation"], { status, body }: Reply): unknown {
  const { spec, metadata, details }: Told = body;
  const causes = details?.causes ?? [];
  if (status < 300)
    return inOrder({
      spec,
      labels: metadata?.labels,
      ownership: metadata?.managedFields?.map(({ manager, operation: by, fieldsV1 }) => [manager, by, fieldsV1]),
    });
  if (status === 422)
    return { refused: "invalid", fields: causes.map(({ reason, field }) => `${reason} ${field}`).sort() };
  if (operation !== "apply") return { refused: "absent" };
  return status === 409
    ? { refused: "conflict", fields: causes.map(({ field }) => field).sort() }
    : { refused: "typed", words: String(body["message"]).split("\n").sort() };
}

/** Managers are listed by their times, which differ. */
function inOrder(answer: unknown): unknown {
  const { ownership, ...rest } = answer as { ownership?: unknown[] }; // an object
  return ownership === undefined ? rest : { ...rest, ownership: ownership.map(text).sort() };
}

/** Without the order of members. */
function text(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
