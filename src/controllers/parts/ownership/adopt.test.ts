import { expect, test } from "vitest";
import type { AnyObject, ResourceClient } from "../../../client/contract.ts";
import { podOf } from "../pods/pod.suite.ts";
import { adoptAndRelease } from "./adopt.ts";

test("a thousand orphans are adopted with few requests in flight", async () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "me" };
  const orphans = Array.from({ length: 1_000 }, (_, at) => podOf({ name: `p${at}` }));
  let [running, most] = [0, 0];
  const client = {
    async patch({ name = "" }) {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return { metadata: { name } };
    },
  } as unknown as ResourceClient<AnyObject>; // all that adoption calls
  const readOwner = async () => ({ metadata: { uid: "me" } });
  const adopted = await adoptAndRelease({ owned: [], adopt: orphans, release: orphans }, { client, owner, readOwner });
  expect([adopted.length, adopted[999]?.metadata.name, most]).toEqual([1_000, "p999", 8]);
});
