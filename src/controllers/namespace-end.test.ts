import { expect, test } from "vitest";
import { DaemonSet } from "../api/apps/v1/daemon-set.ts";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Job } from "../api/batch/v1/job.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Node } from "../api/core/v1/node.ts";
import { Service } from "../api/core/v1/service.ts";
import { silentLog } from "../base/log.ts";
import { controllers } from "./list.ts";
import { withControllers } from "./scenario.suite.ts";

const workload = {
  selector: { matchLabels: { app: "x" } },
  template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
};
const podsOnce = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

for (const emulatedVersion of ["1.21", "1.35"] as const)
  test(`controllers leave a namespace quietly when it is deleted, at level ${emulatedVersion}`, async () => {
    const said: unknown[] = [];
    const say = (message: string, fields?: Record<string, unknown>) => said.push([message, fields]);
    await withControllers(
      controllers,
      async ({ client, create, untilGone }) => {
        await create(Node, { metadata: { name: "n" }, status: { conditions: [{ type: "Ready", status: "True" }] } });
        const names = Array.from({ length: 4 }, (_, at) => `n${at}`);
        // Each is deleted a little later in the life of its objects: refusals depend on who is in the middle of what.
        for (const [at, namespace] of names.entries()) {
          await create(Namespace, { metadata: { name: namespace } });
          const metadata = { name: "x", namespace };
          await create(Deployment, { metadata, spec: { ...workload, replicas: 3 } });
          await create(StatefulSet, { metadata, spec: { ...workload, replicas: 3, serviceName: "x" } });
          await create(DaemonSet, { metadata, spec: workload });
          await create(Job, { metadata, spec: { parallelism: 3, completions: 9, template: podsOnce } });
          await create(Service, { metadata, spec: { selector: { app: "x" }, ports: [{ port: 80 }] } });
          for (let turn = 0; turn < at * 2; turn++) await client.of(Namespace).get({ name: namespace });
          await client.of(Namespace).delete({ name: namespace });
        }
        for (const name of names) await untilGone(Namespace, { name });
      },
      { server: { emulatedVersion }, log: { ...silentLog, warn: say, error: say } },
    );
    expect(said).toEqual([]);
  });
