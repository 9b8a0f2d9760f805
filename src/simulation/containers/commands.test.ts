import { describe, expect, test } from "vitest";
import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { Event } from "../../api/core/v1/event.ts";
import type { ControllerChoice } from "../../testkit/controller-choice.ts";
import { openSimulated, phaseText, podsPath, type Simulated } from "../simulated-server.suite.ts";

const core = "/api/v1/namespaces/default";
const batch = "/apis/batch/v1/namespaces/default";
const sh = (script: string) => ["sh", "-c", script];
const containerOf = (script: string, more: object = {}) => ({
  name: "main",
  image: "busybox",
  command: sh(script),
  ...more,
});
const never = (script: string, more: object = {}) => ({
  restartPolicy: "Never",
  containers: [containerOf(script, more)],
});

const stateOf = async ({ pod }: Simulated, name: string, at = 0) =>
  (await pod(name)).status?.containerStatuses?.[at]?.state;
const logOf = async ({ server }: Simulated, name: string, query = "") =>
  await (await server.fetch(`${podsPath}/${name}/log${query}`)).text();

for (const emulatedVersion of ["1.21", "1.35"] as const)
  describe(`simulated containers obey their commands, at level ${emulatedVersion}`, () => {
    const open = (controllers: ControllerChoice[] = []) => openSimulated({ nodes: 1, controllers, emulatedVersion });

    test("a Job fails when its command does, after the time that it takes", async () => {
      await using simulated = await open(["job"]);
      const { send, advance } = simulated;
      const spec = { backoffLimit: 0, template: { spec: never("sleep 5 && exit 1") } };
      await send("POST", `${batch}/jobs`, { metadata: { name: "j" }, spec });
      await advance("4s");
      expect((await send<Job>("GET", `${batch}/jobs/j`)).status).toMatchObject({ active: 1 });
      await advance("10s");
      expect((await send<Job>("GET", `${batch}/jobs/j`)).status).toMatchObject({ failed: 1 });
    });

    test("a CronJob that forbids it starts no second Job while the command sleeps", async () => {
      await using simulated = await open(["job", "cronjob"]);
      const { send, advance } = simulated;
      const jobTemplate = { spec: { template: { spec: { ...never("sleep 300"), restartPolicy: "OnFailure" } } } };
      const spec = { schedule: "*/1 * * * *", concurrencyPolicy: "Forbid", jobTemplate };
      const path = emulatedVersion === "1.35" ? batch : "/apis/batch/v1/namespaces/default";
      await send("POST", `${path}/cronjobs`, { metadata: { name: "c" }, spec });
      await advance("3m");
      expect((await send<CronJob>("GET", `${path}/cronjobs/c`)).status?.active).toHaveLength(1);
      expect((await send<{ items: Job[] }>("GET", `${batch}/jobs`)).items).toHaveLength(1);
    });

    test("a container ends with the code, the message and the log of its command", async () => {
      await using simulated = await open();
      const { createPod, advance, pod } = simulated;
      await createPod("p", { spec: never("echo begin; sleep 2; echo why > /dev/termination-log; exit 3") });
      await advance("1s");
      expect(phaseText(await pod("p"))).toBe("Running*");
      await advance("5s");
      expect((await pod("p")).status?.phase).toBe("Failed");
      expect((await stateOf(simulated, "p"))?.terminated).toMatchObject({
        exitCode: 3,
        reason: "Error",
        message: "why\n",
      });
      expect(await logOf(simulated, "p")).toBe("begin\n");
    });

    test("a failed container without a message tells the end of its log, if it is to", async () => {
      await using simulated = await open();
      const { createPod, advance } = simulated;
      const terminationMessagePolicy = "FallbackToLogsOnError";
      await createPod("bad", { spec: never("echo DONE; exit 1", { terminationMessagePolicy }) });
      await createPod("good", { spec: never("echo DONE", { terminationMessagePolicy }) });
      await createPod("own", {
        spec: never("echo -n OK > /tmp/m", { terminationMessagePath: "/tmp/m", terminationMessagePolicy }),
      });
      await advance("5s");
      const messages = [];
      for (const name of ["bad", "good", "own"]) messages.push((await stateOf(simulated, name))?.terminated?.message);
      expect(messages).toEqual(["DONE\n", undefined, "OK"]);
    });

    test("a container restarts by its policy, with another log each time", async () => {
      await using simulated = await open();
      const { createPod, advance, pod } = simulated;
      await createPod("p", { spec: { containers: [containerOf("date +%s; sleep 3; exit 9")] } });
      await advance("5s");
      const status = (await pod("p")).status?.containerStatuses?.[0];
      expect([status?.restartCount, status?.lastState?.terminated?.exitCode]).toEqual([1, 9]);
      const [now, before] = [await logOf(simulated, "p"), await logOf(simulated, "p", "?previous=true")];
      expect(Number(now) - Number(before)).toBe(3);
      await advance("10s");
      expect((await stateOf(simulated, "p"))?.waiting?.reason).toBe("CrashLoopBackOff");
    });

    test("init containers run one after the other, and share empty volumes with the others", async () => {
      await using simulated = await open();
      const { createPod, advance, pod } = simulated;
      const volumeMounts = [{ name: "work", mountPath: "/data" }];
      const initContainers = [
        { ...containerOf("sleep 3; echo from-init > /data/f", { volumeMounts }), name: "a" },
        { ...containerOf("[ -f /data/f ] && echo more >> /data/f", { volumeMounts }), name: "b" },
      ];
      const spec = {
        ...never("cat /data/f", { volumeMounts }),
        initContainers,
        volumes: [{ name: "work", emptyDir: {} }],
      };
      await createPod("p", { spec });
      await advance("2s");
      expect(phaseText(await pod("p"))).toBe("Pending");
      await advance("5s");
      expect(phaseText(await pod("p"))).toBe("Succeeded");
      expect(await logOf(simulated, "p")).toBe("from-init\nmore\n");
    });

    test("probes look at the files of the container", async () => {
      await using simulated = await open();
      const { createPod, advance, pod, send } = simulated;
      const script = "echo ok >/tmp/health; sleep 10; rm -rf /tmp/health; sleep 600";
      const probe = { exec: { command: ["cat", "/tmp/health"] }, periodSeconds: 1, failureThreshold: 1 };
      const more = { livenessProbe: { ...probe, initialDelaySeconds: 5 }, readinessProbe: probe };
      await createPod("p", { spec: { terminationGracePeriodSeconds: 2, containers: [containerOf(script, more)] } });
      await advance("9s");
      expect(phaseText(await pod("p"))).toBe("Running*");
      await advance("2s");
      expect(phaseText(await pod("p"))).toBe("Running");
      const { items } = await send<{ items: Event[] }>("GET", `${core}/events`);
      const told = items.filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
      expect(told).toContain("Liveness probe failed: cat: can't open '/tmp/health': No such file or directory\n");
      await advance("4s");
      const status = (await pod("p")).status?.containerStatuses?.[0];
      expect([status?.restartCount, status?.lastState?.terminated?.exitCode]).toEqual([1, 137]);
    });

    test("hooks run in the container: it is ready after the first, and stops after the last", async () => {
      await using simulated = await open();
      const { createPod, advance, pod, send } = simulated;
      const lifecycle = {
        postStart: { exec: { command: sh("sleep 2; touch /tmp/started") } },
        preStop: { exec: { command: sh("sleep 3; touch /tmp/stop") } },
      };
      const script = "until [ -f /tmp/stop ]; do sleep 1; done";
      await createPod("p", { spec: { containers: [containerOf(script, { lifecycle })] } });
      await createPod("q", { spec: never("sleep 60", { lifecycle: { postStart: { exec: { command: ["false"] } } } }) });
      await advance("1s");
      expect(phaseText(await pod("p"))).toBe("Running");
      await advance("2s");
      expect([phaseText(await pod("p")), phaseText(await pod("q"))]).toEqual(["Running*", "Failed"]);
      await send("DELETE", `${podsPath}/p`);
      await advance("2s");
      expect((await pod("p")).metadata.deletionTimestamp).toBeDefined();
      await advance("3s");
      await expect(pod("p")).rejects.toThrow("not found");
    });

    test("the environment has values, references and services, and commands have them expanded", async () => {
      await using simulated = await open();
      const { createPod, advance, send } = simulated;
      await send("POST", `${core}/configmaps`, {
        metadata: { name: "cm" },
        data: { KEY: "from-map", "a.b": "dotted" },
      });
      await send("POST", `${core}/secrets`, { metadata: { name: "s" }, stringData: { password: "hush" } });
      await send("POST", `${core}/services`, { metadata: { name: "my-db" }, spec: { ports: [{ port: 5432 }] } });
      const env = [
        { name: "A", value: "one" },
        { name: "B", value: "$(A)-two $$(A) $(NONE)" },
        { name: "SECRET", valueFrom: { secretKeyRef: { name: "s", key: "password" } } },
        { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } } },
      ];
      const more = { env, envFrom: [{ configMapRef: { name: "cm" }, prefix: "P_" }], args: undefined };
      const script =
        'echo $A/$B/$SECRET/$NODE/$CPU/$MEMORY/$P_KEY; [ -n "$MY_DB_SERVICE_HOST" ] && echo $MY_DB_SERVICE_PORT';
      const resources = { requests: { memory: "32Mi" }, limits: { cpu: "1250m" } };
      await createPod("p", { spec: never(script, { ...more, resources }) });
      const direct = { name: "main", image: "i", command: ["echo", "$(A)", "$$(A)", "$(NONE)"], env };
      await createPod("q", { spec: { restartPolicy: "Never", containers: [direct] } });
      await advance("5s");
      expect(await logOf(simulated, "p")).toBe("one/one-two $(A) $(NONE)/hush/node-0/2/32/from-map\n5432\n");
      expect(await logOf(simulated, "q")).toBe("one $(A) $(NONE)\n");
    });

    test("files of volumes show config maps, secrets and fields of the pod", async () => {
      await using simulated = await open();
      const { createPod, advance, send } = simulated;
      await send("POST", `${core}/configmaps`, { metadata: { name: "cm" }, data: { one: "1", two: "2" } });
      await send("POST", `${core}/secrets`, { metadata: { name: "s" }, stringData: { token: "hush" } });
      const items = [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }];
      const volumes = [
        { name: "cm", configMap: { name: "cm", items: [{ key: "one", path: "sub/first" }] } },
        { name: "s", secret: { secretName: "s" } },
        { name: "info", downwardAPI: { items } },
        { name: "all", projected: { sources: [{ configMap: { name: "cm" } }, { secret: { name: "s" } }] } },
      ];
      const volumeMounts = [
        { name: "cm", mountPath: "/etc/cm" },
        { name: "s", mountPath: "/etc/s" },
        { name: "info", mountPath: "/etc/podinfo" },
        { name: "all", mountPath: "/all" },
        { name: "all", mountPath: "/etc/only-two", subPath: "two" },
      ];
      const script =
        "cat /etc/cm/sub/first /etc/s/token; echo; cat /etc/podinfo/labels; echo; ls /all; cat /etc/only-two; echo; echo x > /etc/s/token";
      await createPod("p", {
        labels: { app: "web", zone: "a" },
        spec: { ...never(script, { volumeMounts }), volumes },
      });
      await advance("5s");
      const refused = "sh: can't create /etc/s/token: Read-only file system";
      expect(await logOf(simulated, "p")).toBe(`1hush\napp="web"\nzone="a"\none\ntoken\ntwo\n2\n${refused}\n`);
    });

    test("a container waits for what it refers to, and a pod for its volumes", async () => {
      await using simulated = await open();
      const { createPod, advance, send, pod } = simulated;
      const env = [{ name: "X", valueFrom: { configMapKeyRef: { name: "later", key: "k" } } }];
      await createPod("env", { spec: never("echo $X", { env }) });
      const volumes = [{ name: "v", configMap: { name: "later" } }];
      await createPod("volume", {
        spec: { ...never("cat /v/k", { volumeMounts: [{ name: "v", mountPath: "/v" }] }), volumes },
      });
      await createPod("image", { spec: { containers: [{ name: "main", image: "nginx", env }] } });
      await advance("5s");
      const waiting = { reason: "CreateContainerConfigError", message: 'configmap "later" not found' };
      expect([(await stateOf(simulated, "env"))?.waiting, (await stateOf(simulated, "image"))?.waiting]).toEqual([
        waiting,
        waiting,
      ]);
      expect((await stateOf(simulated, "volume"))?.waiting?.reason).toBe("ContainerCreating");
      const { items } = await send<{ items: Event[] }>("GET", `${core}/events`);
      const mount = 'MountVolume.SetUp failed for volume "v" : configmap "later" not found';
      expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(
        expect.arrayContaining(['Failed: Error: configmap "later" not found', `FailedMount: ${mount}`]),
      );
      await send("POST", `${core}/configmaps`, { metadata: { name: "later" }, data: { k: "here" } });
      await advance("30s");
      expect([await logOf(simulated, "env"), await logOf(simulated, "volume")]).toEqual(["here\n", "here"]);
      expect(phaseText(await pod("image"))).toBe("Running*");
    });

    test("a deleted pod that ignores the signal stays for its grace period, and ends with 137", async () => {
      await using simulated = await open();
      const { createPod, advance, pod, send, server } = simulated;
      await createPod("p", { spec: { terminationGracePeriodSeconds: 10, containers: [containerOf("sleep 3600")] } });
      await createPod("q", { spec: { containers: [containerOf("trap 'exit 0' TERM; while true; do sleep 1; done")] } });
      await advance("3s");
      const ended: string[] = [];
      const watch = await server.fetch(`${podsPath}?watch=true`);
      const read = (async () => {
        let text = "";
        for await (const chunk of watch.body ?? []) {
          text += Buffer.from(chunk).toString();
          for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
            const { type, object } = JSON.parse(text.slice(0, end));
            text = text.slice(end + 1);
            const code = object.status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
            if (type === "DELETED") ended.push(`${object.metadata.name} ${object.status.phase} ${code}`);
          }
        }
      })().catch(() => {});
      await send("DELETE", `${podsPath}/p`);
      await send("DELETE", `${podsPath}/q`);
      await advance("8s");
      expect((await pod("p")).metadata.name).toBe("p");
      await advance("4s");
      await expect.poll(() => ended).toEqual(["q Succeeded 0", "p Failed 137"]);
      void read;
    });

    test("annotations count before commands, and commands that are not understood run as before", async () => {
      await using simulated = await open(["job"]);
      const { createPod, advance, pod, send } = simulated;
      await createPod("a", { spec: never("exit 1"), annotations: { "run-for": "2s" } });
      await createPod("b", { spec: { containers: [{ name: "main", image: "i", command: ["nginx"] }] } });
      const template = {
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i", command: ["perl", "-e", "1"] }] },
      };
      await send("POST", `${batch}/jobs`, { metadata: { name: "j" }, spec: { template } });
      await advance("10s");
      expect([phaseText(await pod("a")), phaseText(await pod("b"))]).toEqual(["Succeeded", "Running*"]);
      expect((await send<Job>("GET", `${batch}/jobs/j`)).status).toMatchObject({ succeeded: 1 });
    });

    test("a pod that is active for too long fails while its command still sleeps", async () => {
      await using simulated = await open();
      const { createPod, advance, pod } = simulated;
      await createPod("p", { spec: { ...never("sleep 100"), activeDeadlineSeconds: 5 } });
      await advance("7s");
      expect((await pod("p")).status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    });
  });
