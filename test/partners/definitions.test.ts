import { describe, expect, it } from "vitest";
import { seededSource } from "../../src/machinery/schema/arbitrary.suite.ts";
import type { OrchServer } from "../../src/main/library/options.ts";
import { createServer } from "../../src/main/library.ts";
import { seededQuestions } from "./compare.ts";
import { openPartner, whyNoPartners } from "./partner.ts";
import { randomDefinition } from "./random-definitions.ts";
import { Choice } from "./random-patches.ts";

type Definition = ReturnType<typeof randomDefinition>;

interface Question {
  readonly before?: Definition;
  readonly definition: Definition;
}

interface Answer {
  readonly unusable?: boolean;
  readonly refused?: readonly string[];
  readonly spec?: unknown;
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** As many as a failure shows. */
const shownMax = 10;

describe.skipIf(whyNoPartners !== undefined)(`definitions as the reference takes them ${whyNoPartners ?? ""}`, () => {
  it("refuses the same fields of random definitions, and stores the same of others", async () => {
    const asked = seededQuestions((seed) => questionOf(new Choice(seededSource(seed))), 1_000);
    expect(await differing(asked)).toEqual([]);
  });

  it("refuses the same changes of random definitions", async () => {
    const asked = seededQuestions((seed) => changeOf(new Choice(seededSource(seed))), 1_000);
    expect(await differing(asked)).toEqual([]);
  });
});

const nameOf = (choice: Choice) => `w${choice.below(2 ** 30)}x${choice.below(2 ** 30)}`;
const asJson = (question: Question): Question => JSON.parse(JSON.stringify(question)) as Question;

function questionOf(choice: Choice): Question {
  return asJson({ definition: randomDefinition(choice, nameOf(choice)) });
}

function changeOf(choice: Choice): Question {
  const name = nameOf(choice);
  const before = randomDefinition(choice, name);
  const after = randomDefinition(choice, name);
  // Most of it stays. What an established definition must keep stays too: ours is established in the background.
  for (const part of Object.keys(before.spec)) if (choice.chance(70)) after.spec[part] = before.spec[part];
  for (const part of ["scope", "names"]) after.spec[part] = before.spec[part];
  return asJson({ before, definition: { ...after, metadata: before.metadata } });
}

/** The libraries are of 1.36. */
async function differing(asked: readonly Question[]): Promise<string[]> {
  await using partner = openPartner("definitions");
  await using server = await createServer({
    emulatedVersion: "1.36",
    vocabulary: "kubernetes",
    authorization: "AlwaysAllow",
    controllers: false,
  });
  const theirs = await partner.ask<Answer>(asked);
  const found: string[] = [];
  for (const [index, question] of asked.entries()) {
    const their = theirs[index] as Answer; // one for each
    if (their.unusable === true) continue;
    const our = await answerOf(server, question);
    if (text(our) !== text(their)) found.push(JSON.stringify({ ...question, theirs: their, ours: our }));
    if (found.length === shownMax) break;
  }
  return found;
}

async function answerOf(server: OrchServer, { before, definition }: Question): Promise<Answer> {
  if (before === undefined) return told(await send(server, "POST", `${definitions}?dryRun=All`, definition));
  const made = await send(server, "POST", definitions, before);
  if (made.status >= 300) return { refused: ["before", ...(told(made).refused ?? [])] };
  let { metadata } = made.body as unknown as Definition; // it was created
  const path = `${definitions}/${metadata.name}`;
  for (;;) {
    const { resourceVersion } = metadata;
    const after = { ...definition, metadata: { ...definition.metadata, resourceVersion } };
    const reply = await send(server, "PUT", `${path}?dryRun=All`, after);
    if (reply.status !== 409) {
      await send(server, "DELETE", path);
      return told(reply);
    }
    // Its status was written.
    ({ metadata } = (await send(server, "GET", path)).body as unknown as Definition);
  }
}

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function send(server: OrchServer, method: string, path: string, body?: object): Promise<Reply> {
  const headers = { "content-type": "application/json" };
  const response = await server.fetch(
    path,
    body === undefined ? { method } : { method, headers, body: JSON.stringify(body) },
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function told({ status, body }: Reply): Answer {
  if (status < 300) return { spec: body["spec"] };
  if (status !== 422) return { refused: ["undecodable"] };
  const { causes = [] } = body["details"] as { causes?: readonly { reason: string; field: string }[] };
  return { refused: [...new Set(causes.map(({ reason, field }) => `${reason} ${field}`))].sort() };
}

/** Without the order of members. */
function text(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
