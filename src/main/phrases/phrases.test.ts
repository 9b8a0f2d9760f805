/** Parts of messages that client libraries, command lines, operators and public suites compare: word for word, in both vocabularies. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHookServer } from "../../base/hook-server.suite.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createServer, type OrchServer } from "../library.ts";
import { accessPhrases } from "./access.suite.ts";
import { admissionPhrases } from "./admission.suite.ts";
import { fieldsPhrases } from "./fields.suite.ts";
import { addEverything } from "./objects.suite.ts";
import { podsAndServicesPhrases } from "./pods-and-services.suite.ts";
import { requestsPhrases } from "./requests.suite.ts";
import { configMaps, createStand } from "./stand.suite.ts";
import { writesPhrases } from "./writes.suite.ts";

const tables = [requestsPhrases, writesPhrases, fieldsPhrases, accessPhrases, admissionPhrases, podsAndServicesPhrases];

for (const vocabulary of ["orch", "kubernetes"] as const) {
  describe(`with the vocabulary ${vocabulary}`, () => {
    let server: OrchServer;
    let hook: Awaited<ReturnType<typeof openHookServer>>;
    const stand = createStand(() => server, vocabularyOf(vocabulary));
    beforeAll(async () => {
      hook = await openHookServer((request, response, body) => {
        const { request: asked, apiVersion } = JSON.parse(body) as { request: { uid: string }; apiVersion: string };
        if (request.url?.startsWith("/fail")) response.writeHead(500).end();
        else
          response.end(
            JSON.stringify({
              apiVersion,
              kind: "AdmissionReview",
              response: { uid: asked?.uid, allowed: false, status: { message: "no" } },
            }),
          );
      });
      server = await createServer({ vocabulary, authorization: "RBAC", enableAdmissionPlugins: ["NodeRestriction"] });
      await addEverything(stand, hook);
    });
    afterAll(async () => {
      await server.close();
      await hook.close();
    });
    for (const [phrase, message] of tables.flatMap((table) => table(stand)))
      test(phrase, async () => expect(await message()).toContain(phrase));
  });
}

test("the refusal of a client of the other vocabulary names the switch; a refused content type has the status code of the vocabulary", async () => {
  const switchName = "--like=kubernetes-1.37";
  for (const [vocabulary, code] of [
    ["orch", 406],
    ["kubernetes", 415],
  ] as const) {
    const server = await createServer({ vocabulary, controllers: false });
    const ask = async (path: string, type: string, body?: string, accept = "*/*") => {
      const method = body === undefined ? "GET" : "POST";
      const headers = { "content-type": type, accept };
      const answer = await server.fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await ask(configMaps, "text/plain", "x")).status).toBe(code);
    const crd = JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" });
    const json = "application/json";
    const protobuf = "application/vnd.kubernetes.protobuf";
    const said = await Promise.all([
      ask(configMaps, protobuf, "x"),
      ask(configMaps, json, undefined, protobuf),
      ask("/apis/apiextensions.k8s.io/v1/nothings", json),
      ask("/apis/other.k8s.io", json),
      ask(`/apis/${vocabularyOf(vocabulary).group("apiextensions.orch.io")}/v1/customresourcedefinitions`, json, crd),
    ]);
    // kubectl shows the message of a Status, and its own sentence for a text.
    expect(said[3]?.text.startsWith("{")).toBe(vocabulary === "orch");
    expect(said.map(({ text }) => text.includes(switchName))).toEqual(said.map(() => vocabulary === "orch"));
    // What has nothing to do with names is answered as ever.
    expect((await ask(`${configMaps}/none`, json, undefined, `${protobuf}, ${json}`)).text).not.toContain(switchName);
    await server.close();
  }
});
