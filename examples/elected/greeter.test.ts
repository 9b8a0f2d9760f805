import { createServer } from "orch";
import { ConfigMap, connect, Lease } from "orch/client";
import { expect, test } from "vitest";
import { startGreeter } from "./greeter.ts";

test("one works, and the other goes on when it stops", async () => {
  await using server = await createServer({ controllers: false });
  await using client = await connect({ server });
  const greet = (name: string) => client.of(ConfigMap).create({ metadata: { name, labels: { app: "greeting" } } });
  const greetedBy = async (name: string) =>
    (await server.until(ConfigMap, name, ({ data }) => data?.["by"] !== undefined)).data?.["by"];

  const one = startGreeter(client, "one");
  await one.ready;
  await using two = startGreeter(client, "two");
  await greet("a");
  expect(await greetedBy("a")).toBe("one");
  expect((await client.of(Lease).get("greeter")).spec?.holderIdentity).toBe("one");

  await one.close(); // gives the Lease back, so that nobody waits until it runs out
  await two.ready;
  await greet("b");
  expect(await greetedBy("b")).toBe("two");
});
