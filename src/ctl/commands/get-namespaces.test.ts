/** `get` under the name ctl: several namespaces, those that are allowed, suggestions, comma-separated values, watches. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

describe.each(["orch", "kubernetes"] as const)("on a server that speaks %s", (vocabulary) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession("ctl", { vocabulary, authorization: "RBAC" });
    for (const name of ["team-a", "team-b", "shop"]) {
      await session.ok(`create namespace ${name}`);
      await session.ok(`create configmap settings --from-literal=in=${name} -n ${name}`);
    }
    for (const namespace of ["team-a", "shop"]) {
      await session.ok(`create role reader --verb=list --resource=configmaps -n ${namespace}`);
      await session.ok(`create rolebinding jane --role=reader --user=jane -n ${namespace}`);
    }
    await session.ok("create clusterrole namespaces --verb=list --resource=namespaces");
    await session.ok("create clusterrolebinding jane --clusterrole=namespaces --user=jane");
  });
  afterAll(() => session[Symbol.asyncDispose]());
  const ageless = (text: string) => text.replaceAll(/\d+s\b/g, "9s");

  test("several namespaces are one table, with a column for the namespace", async () => {
    expect(ageless(await session.ok("get cm -n shop,team-* --field-selector=metadata.name=settings"))).toBe(
      "NAMESPACE   NAME       DATA   AGE\nshop        settings   1      9s\nteam-a      settings   1      9s\nteam-b      settings   1      9s\n",
    );
  });
  test("several namespaces are one list, and one sorted table", async () => {
    const all = JSON.parse(await session.ok("get cm settings -n team-b,team-a -o json")) as {
      items: { metadata: { namespace: string } }[];
    };
    expect(all.items.map(({ metadata }) => metadata.namespace)).toEqual(["team-b", "team-a"]);
    const sorted = await session.ok("get cm -n team-?,shop --sort-by=.data.in --no-headers -l !none");
    expect(sorted.match(/^\S+ +settings/gm)?.map((line) => line.split(" ")[0])).toEqual(["shop", "team-a", "team-b"]);
  });
  test("a pattern that no namespace matches is an error", async () => {
    expect(await session.run("get cm -n nope-*")).toEqual({
      code: 1,
      out: "",
      err: 'error: no namespace matches "nope-*"\n',
    });
  });
  test("a watch of several namespaces shows changes of all of them, with time and event", async () => {
    const watching = session.run("get cm -n team-a,team-b -w", { stopAt: "later" });
    await session.ok("create configmap later -n team-b");
    const { out } = await watching;
    expect(out).toMatch(/^TIME +EVENT +NAMESPACE +NAME +DATA +AGE\n/);
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z +ADDED +team-b +later/m);
    await session.ok("delete configmap later -n team-b");
  });
  test("comma-separated values are quoted where necessary", async () => {
    await session.ok("label configmap settings -n shop a=b c=d");
    const out = await session.ok("get cm settings -n shop -o csv --show-labels");
    expect(ageless(out)).toBe('NAME,DATA,AGE,LABELS\nsettings,1,9s,"a=b,c=d"\n');
  });
  for (const { line, out } of [
    { line: "get cm -A --field-selector=metadata.name=settings", out: /^NAMESPACE +NAME.*\nshop +.*\nteam-a +.*\n$/ },
    { line: "get cm -A -o name", out: /configmap\/settings\n(.*\n)*configmap\/settings\n/ },
  ])
    test(`${line} shows the namespaces that the caller may list, and says so`, async () => {
      const outcome = await session.run(line, {
        fetch: session.server.fetchAs({ name: "jane", groups: ["system:authenticated"] }),
      });
      expect(outcome).toEqual({
        code: 0,
        out: expect.stringMatching(out),
        err: "you may not list configmaps in all namespaces; showing shop, team-a\n",
      });
    });
  test("who may not list namespaces either is shown those of the configuration, or told to name some", async () => {
    await session.ok("create rolebinding jim --role=reader --user=jim -n shop");
    const fetch = session.server.fetchAs({ name: "jim", groups: ["system:authenticated"] });
    expect(await session.run("get cm -A", { fetch })).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^no namespace is known in which you may list configmaps; name yours with -n a,b\nError from server \(Forbidden\)/,
      ),
    });
    const config = session.file(
      "jim.conf",
      "apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: c, namespace: shop}}]\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'http://localhost'}}]\n",
    );
    const found = await session.run(`get cm -A -o name --kubeconfig=${config}`, { fetch });
    expect(found).toMatchObject({ code: 0, err: "you may not list configmaps in all namespaces; showing shop\n" });
  });
});
