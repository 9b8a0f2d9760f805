/** What people read about kinds and columns has the words of the server's vocabulary only. */

import { describe, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

type Told = { readonly where: string; readonly text: string };

/** Every description in a document, with the path to it. */
function* descriptionsIn(value: unknown, where: string): Generator<Told> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value))
    if (name === "description" && typeof member === "string") yield { where, text: member };
    else yield* descriptionsIn(member, `${where}/${name}`);
}

/** Names that are the same in both vocabularies: a feature gate and a type of a condition. */
const fixed = /DynamicKubeletConfig|KubernetesAPIApprovalPolicyConformant/g;

const foreign = { orch: /kube|k8s/i, kubernetes: /orch\.io/i };

describe.each(["1.21", "1.35"] as const)("at level %s", (emulatedVersion) => {
  test.each(["orch", "kubernetes"] as const)(
    "no description of a server that speaks %s has a word of the other vocabulary",
    async (vocabulary) => {
      await using server = await createServer({ vocabulary, emulatedVersion, controllers: false });
      const read = async (path: string, accept = "application/json"): Promise<Record<string, unknown>> =>
        (await (await server.fetch(path, { headers: { accept } })).json()) as Record<string, unknown>;
      const told: Told[] = [...descriptionsIn(await read("/openapi/v2"), "/openapi/v2")];
      const { paths = {} } = (await read("/openapi/v3")) as { paths?: Record<string, unknown> };
      for (const path of Object.keys(paths))
        told.push(...descriptionsIn(await read(`/openapi/v3/${path}`), `/openapi/v3/${path}`));
      const { groups } = (await read("/apis")) as { groups: { versions: { groupVersion: string }[] }[] };
      const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
      for (const version of ["/api/v1", ...versions]) {
        const { resources } = (await read(version)) as { resources: { name: string; verbs: string[] }[] };
        for (const { name, verbs } of resources) {
          if (name.includes("/") || !verbs.includes("list")) continue;
          const group = vocabulary === "orch" ? "meta.orch.io" : "meta.k8s.io";
          const table = await read(`${version}/${name}`, `application/json;as=Table;v=v1;g=${group}`);
          told.push(...descriptionsIn(table, `${version}/${name}`));
        }
      }
      expect(told.length).toBeGreaterThan(3_000);
      expect(told.filter(({ text }) => foreign[vocabulary].test(text.replace(fixed, "")))).toEqual([]);
    },
  );
});
