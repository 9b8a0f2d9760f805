// How do I change or refuse writes in a test, as a cluster's policies would, without a webhook and its certificates?

import { createServer, kinds, on, plugin, refuse } from "orch";
import { expect, test } from "vitest";

/** Every pod belongs to a team. */
const teams = plugin("Teams", [
  on(kinds.Pod, "CREATE", {
    mutate({ object: pod, user }) {
      pod.metadata.labels = { team: user.name, ...pod.metadata.labels };
    },
  }),
]);

/** Images have a version, also those that are changed later. */
const versions = plugin("Versions", [
  on(kinds.Pod, ["CREATE", "UPDATE"], {
    validate(request) {
      const latest = request.object.spec?.containers.find(({ image = "" }) => !/:(?!latest$)/.test(image));
      if (latest) throw refuse(request, `container ${latest.name} must name a version of its image`);
    },
  }),
]);

const pod = (image: string) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ metadata: { name: "web" }, spec: { containers: [{ name: "web", image }] } }),
});

test("policies of the cluster apply in the test as well", async () => {
  await using server = await createServer({ admission: [teams, versions] });
  const fetchAsJane = server.fetchAs({ name: "jane" });
  const pods = "/api/v1/namespaces/default/pods";

  const refused = await fetchAsJane(pods, pod("nginx:latest"));
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining("must name a version") });

  const made = await fetchAsJane(pods, pod("nginx:1.21"));
  expect(await made.json()).toMatchObject({ metadata: { labels: { team: "jane" } } });
});
