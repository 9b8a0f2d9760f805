import { expect, test } from "vitest";
import { catalog as kinds } from "../api/catalog.ts";
import { ServiceCIDR } from "../api/networking/v1/service-cidr.ts";
import { createManualClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import { admitAll } from "../registry/contract/admission.ts";
import { openRegistry } from "../registry/registry.ts";
import { makeDefaultRange } from "./default-range.ts";

test("the default range is made ready, gets the second IP family of a later start, and loses none", async () => {
  const kv = createMemoryKv();
  const clock = createManualClock(0);
  const catalog = createCatalog(kinds, plainEnvironment({ level: "1.35", clock }));
  const registry = await openRegistry({ kv, catalog, clock, log: silentLog, admission: admitAll });
  const started = async (...texts: string[]) => {
    await makeDefaultRange(
      registry,
      catalog,
      texts.map((text) => ({ text })),
    );
    const { spec, status } = registry.peek(catalog.of(ServiceCIDR), { namespace: "", name: "orch" })?.object() ?? {};
    return [spec?.cidrs, status?.conditions?.map(({ type, status: is }) => `${type} ${is}`)];
  };
  expect(await started("10.0.0.0/24")).toEqual([["10.0.0.0/24"], ["Ready True"]]);
  const both = [["10.0.0.0/24", "fd00::/112"], ["Ready True"]];
  expect(await started("10.0.0.0/24", "fd00::/112")).toEqual(both);
  expect(await started("10.0.0.0/24"), "one flag less").toEqual(both);
  expect(await started("10.9.0.0/24", "fd00::/112"), "another range").toEqual(both);
  await registry.close();
  await kv.close();
});
