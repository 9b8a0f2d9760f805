import { expect, test } from "vitest";
import { createServer } from "../library.ts";

test("the first pod of a namespace waits for its account as long as the controller of this server needs", async () => {
  await using server = await createServer({
    admission: [
      {
        name: "SlowAccounts",
        handles: ({ kind, operation }) => kind.resource === "serviceaccounts" && operation === "CREATE",
        // Longer than a pod waits for an account from elsewhere.
        validate: ({ namespace }) =>
          namespace === "shop" ? new Promise<void>((resolve) => setTimeout(resolve, 1_600)) : undefined,
      },
    ],
  });
  const create = (path: string, body: object) =>
    server.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await create("/api/v1/namespaces", { metadata: { name: "shop" } })).status).toBe(201);
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  expect((await create("/api/v1/namespaces/shop/pods", pod)).status).toBe(201);
});
