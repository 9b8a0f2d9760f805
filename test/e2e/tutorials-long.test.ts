/** The tutorials that need Go or etcd. */

import { expect, test } from "vitest";
import { findEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { describeWith, go, type Program } from "./programs.ts";
import { follow, slow } from "./tutorial.suite.ts";

describeWith(go, "with Go", () => {
  test("your operator in Go", slow, async () => {
    const out = await follow("tutorial-go.md");
    expect(out).toMatch(/^ok\s+greeter/m);
    expect(out).toMatch(/greeting\.example\.com "hi" deleted/);
  });
});

const etcd: Program = {
  name: "etcd",
  isThere: () => findEtcd() !== undefined,
  howTo: "install etcd-server, or run `node scripts/provide.mjs` as root on Debian",
};

describeWith(etcd, "with etcd", () => {
  test("from one process to three servers", slow, async () => {
    const out = await follow("tutorial-servers.md");
    expect(out).toMatch(/configmap\/prices patched/);
    expect(out).toMatch(/^more +0/m);
  });
});
