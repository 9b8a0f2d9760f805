/** The process that commits.test.ts kills: it moves amounts between keys, several of them in each commit, and says which commits are acknowledged. */

import { writeSync } from "node:fs";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { RevisionConflict } from "../../src/kv/contract.ts";
import { type CommitOrders, commitKeys, openStore } from "./commits.ts";

const orders = JSON.parse(process.argv[2]!) as CommitOrders;
const random = seededRandom(orders.seed);
const kv = await openStore(orders);

async function move(): Promise<void> {
  const chosen = [...commitKeys]
    .sort(() => random() - 0.5)
    .slice(0, 2 + Math.floor(random() * (commitKeys.length - 2)));
  const found = await Promise.all(chosen.map((key) => kv.get(key)));
  const amounts = found.map((entry) => Number(Buffer.from(entry?.value ?? "0").toString()));
  const step = 1 + Math.floor(random() * 9);
  const next = amounts.map((amount, at) => amount + (at === 0 ? -step * (chosen.length - 1) : step));
  const counter = await kv.get("counter");
  const count = Number(Buffer.from(counter?.value ?? "0").toString()) + 1;
  await kv.commit([
    ...chosen.map((key, at) => ({
      key,
      expected: found[at]?.revision ?? 0n,
      value: next[at] === 0 && found[at] !== undefined ? undefined : Buffer.from(String(next[at])),
    })),
    { key: "counter", expected: counter?.revision ?? 0n, value: Buffer.from(String(count)) },
  ]);
  writeSync(1, `${count}\n`);
}

await Promise.all(
  Array.from({ length: orders.writers }, async () => {
    for (;;) {
      await move().catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
      });
    }
  }),
);
