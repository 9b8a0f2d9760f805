/** What every informer promises, wherever its objects come from: over requests, or as entries of a server in the same process. */

import { describe, expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { deepFreeze } from "../../machinery/json/json-value.ts";
import type { Client, ResourceAddress } from "../contract.ts";
import type { Informers } from "./contract.ts";
import { createInformers } from "./informers.ts";

export interface InformedServer {
  readonly client: Client;
  close(): Promise<void>;
}

export function describeInformers(name: string, open: () => Promise<InformedServer>): void {
  const informing = (title: string, check: (client: Client, informers: Informers) => Promise<void>) =>
    test(title, async () => {
      const { client, close } = await open();
      const informers = createInformers({ client, clock: systemClock, log: silentLog, prepare: deepFreeze });
      try {
        await check(client, informers);
      } finally {
        await informers.close();
        await close();
      }
    });
  const until = (isSo: () => boolean) => expect.poll(isSo, { interval: 5 }).toBe(true);
  const ref = (one: string, namespace = "default") => ({ namespace, name: one });

  describe(`informers ${name}`, () => {
    informing("have what is there, and follow every change with its old state", async (client, informers) => {
      const maps = client.of(ConfigMap);
      await maps.create({ metadata: ref("before"), data: { at: "0" } });
      const informer = informers.of(ConfigMap, { namespace: "default" });
      const heard: string[] = [];
      informer.on({
        add: ({ metadata }) => heard.push(`add ${metadata.name}`),
        update: (now, old) => heard.push(`update ${now.metadata.name} ${old.data?.["at"]} to ${now.data?.["at"]}`),
        delete: ({ metadata }) => heard.push(`delete ${metadata.name}`),
      });
      await informer.synced;
      await maps.create({ metadata: ref("a"), data: { at: "1" } });
      await maps.patch(ref("a"), { data: { at: "2" } });
      await maps.delete(ref("a"));
      await maps.create({ metadata: ref("a"), data: { at: "3" } });
      await until(() => informer.get("default/a")?.data?.["at"] === "3");
      expect(heard.filter((line) => line.includes(" a") || line.includes("before"))).toEqual([
        "add before",
        "add a",
        "update a 1 to 2",
        "delete a",
        "add a",
      ]);
      const current = await maps.get(ref("a"));
      expect(informer.get("default/a")).toEqual(current);
      expect(informer.list("default")).toContainEqual(current);
      expect(informer.get("default/absent")).toBeUndefined();
    });

    informing("keep indexes and select by labels", async (client, informers) => {
      const informer = informers.of(ConfigMap);
      const byColour = informer.index("colour", ({ data }) => (data?.["colour"] ? [data["colour"]] : []));
      await informer.synced;
      expect(informers.of(ConfigMap)).toBe(informer);
      const maps = client.of(ConfigMap);
      const metadata = { ...ref("a"), labels: { app: "x" } };
      await maps.create({ metadata, data: { colour: "red" } });
      await maps.create({ metadata: ref("b") });
      await until(() => byColour.get("red").length === 1);
      const selected = (app: string) =>
        informer.select("default", { matches: (labels) => labels.get("app") === app }).map((one) => one.metadata.name);
      expect([selected("x"), selected("y")]).toEqual([["a"], []]);
      await maps.patch(ref("a"), { metadata: { labels: { app: "y" } }, data: { colour: "blue" } });
      await until(() => byColour.get("blue").length === 1);
      expect([byColour.get("red"), byColour.values(), selected("x"), selected("y")]).toEqual([[], ["blue"], [], ["a"]]);
      const late = informer.index("late", ({ metadata: { labels } }) => (labels?.["app"] ? ["labelled"] : []));
      expect(late.get("labelled").map((one) => one.metadata.name)).toEqual(["a"]);
      expect([late.count("labelled"), late.first("labelled")?.metadata.name]).toEqual([1, "a"]);
      expect([late.count("other"), late.first("other")]).toEqual([0, undefined]);
      await maps.delete(ref("a"));
      await until(() => byColour.values().length === 0);
      expect(late.values()).toEqual([]);
    });

    informing("see nothing but what they selected", async (client, informers) => {
      await client.of(Namespace).create({ metadata: { name: "other" } });
      const maps = client.of(ConfigMap);
      const one = informers.of(ConfigMap, { namespace: "other", fieldSelector: "metadata.name=a" });
      const labelled = informers.of(ConfigMap, { labelSelector: "app in (x, y)" });
      await Promise.all([one.synced, labelled.synced]);
      for (const namespace of ["default", "other"]) {
        await maps.create({ metadata: { ...ref("a", namespace), labels: { app: "x" } } });
        await maps.create({ metadata: ref("b", namespace) });
      }
      await until(() => labelled.list().length === 2 && one.list().length === 1);
      await maps.patch(ref("a"), { metadata: { labels: { app: "z" } } });
      await until(() => labelled.list().length === 1);
      expect(one.list().map(({ metadata }) => metadata.namespace)).toEqual(["other"]);
    });

    informing("share objects that must not be changed", async (client, informers) => {
      const informer = informers.of(ConfigMap);
      await informer.synced;
      await client.of(ConfigMap).create({ metadata: ref("a"), data: { at: "1" } });
      await until(() => informer.get("default/a") !== undefined);
      const data = informer.get("default/a")?.data ?? {};
      expect(() => Object.assign(data, { at: "2" })).toThrow();
    });

    informing("survive an index that cannot read an object", async (client, informers) => {
      const informer = informers.of(ConfigMap, { namespace: "default" });
      const strict = informer.index("strict", ({ data }) => {
        if (data === undefined) throw new Error("no data");
        return ["has data"];
      });
      await informer.synced;
      const maps = client.of(ConfigMap);
      await maps.create({ metadata: ref("bad") });
      await maps.create({ metadata: ref("good"), data: { a: "b" } });
      await until(() => informer.get("default/good") !== undefined);
      expect(strict.get("has data").map(({ metadata }) => metadata.name)).toContain("good");
      expect(informer.get("default/bad")).toBeDefined();
    });

    informing("follow a resource that comes, goes and comes back", async (client, informers) => {
      const crds = client.of(CustomResourceDefinition);
      const metadata = { name: "toys.example.com" };
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const versions = [{ name: "v1", served: true, storage: true, schema }];
      const names = { plural: "toys", kind: "Toy" };
      const make = () =>
        crds.create({ metadata, spec: { group: "example.com", scope: "Namespaced", names, versions } });
      const address: ResourceAddress = {
        group: "example.com",
        version: "v1",
        resource: "toys",
        kind: "Toy",
        namespaced: true,
      };
      const toys = client.at(address);
      const played = (one: string) =>
        expect.poll(() => toys.create({ metadata: ref(one) }).catch(() => undefined)).toBeDefined();
      await make();
      await played("ball");
      const informer = informers.metadata(address);
      await until(() => informer.get("default/ball") !== undefined);
      await crds.delete(metadata);
      await until(() => informer.get("default/ball") === undefined);
      await expect.poll(() => make().catch(() => undefined)).toBeDefined();
      await played("kite");
      await until(() => informer.get("default/kite") !== undefined);
    });
  });
}
