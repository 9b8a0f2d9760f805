import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "./session.suite.ts";

let session: Session;
beforeAll(async () => {
  session = await openSession("ctl");
});
afterAll(() => session[Symbol.asyncDispose]());

const errorOf = async (line: string) => (await session.run(line)).err;

describe("a misspelt word is answered with the right one", () => {
  const rows = [
    { why: "a format", line: "get cm -o wid", says: 'Did you mean "-o wide"?' },
    { why: "a format of ours", line: "get cm -o ndjsn", says: 'Did you mean "-o ndjson"?' },
    { why: "the list of formats", line: "get cm -o nothing", says: "name,ndjson,template" },
    {
      why: "a group of the other vocabulary",
      line: "explain configmaps --api-version=other.k8s.io/v1",
      says: "one that is started with --like=kubernetes-1.37 serves groups of k8s.io",
    },
    { why: "a subcommand of create", line: "create deploymnt web", says: 'Did you mean "deployment"?' },
    {
      why: "a subcommand with flags of its own",
      line: "create deploymnt web --image=nginx",
      says: 'error: unknown command "deploymnt"\nDid you mean "deployment"?',
    },
    { why: "a subcommand of another command", line: "rollout staus deployment/web", says: 'Did you mean "status"?' },
    { why: "a command", line: "aply -f x", says: "Did you mean this?\n\tapply" },
    { why: "a flag", line: "get cm --selecter=a", says: "did you mean --selector?" },
  ];
  for (const { why, line, says } of rows)
    test(`${why}: ${line}`, async () => expect(await errorOf(line)).toContain(says));

  const manifests = [
    { why: "a kind", apiVersion: "apps/v1", kind: "Deploymentt", says: 'Did you mean "kind: Deployment"?' },
    { why: "a version", apiVersion: "apps/v1beta1", kind: "Deployment", says: 'Did you mean "apiVersion: apps/v1"?' },
  ];
  for (const { why, apiVersion, kind, says } of manifests)
    test(`${why} in a manifest: ${apiVersion} ${kind}`, async () => {
      const file = session.file("wrong.yaml", `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`);
      expect(await errorOf(`apply -f ${file}`)).toContain(says);
    });

  test("a word that resembles none gets no suggestion", async () => {
    expect(await errorOf("get cm -o unheardof")).not.toContain("Did you mean");
    expect(await errorOf("create unheardof x")).not.toContain("must specify one of -f and -k");
  });
});
