/** One user with all rights in one namespace, and what is served there beyond objects: past states, runs, simulated programs, definitions of others. */

import { once } from "node:events";
import { beforeAll, describe, expect, test } from "vitest";
import { controlFrame, frameTypes } from "../../src/client/streams/spdy-frames.ts";
import { changesBytesMax } from "../../src/history/changes.ts";
import { aliceToken, checkTurns, pause, useTarget } from "./target.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const target = useTarget({
  command: "up",
  explainsTurns: true,
  flags: () => ["--nodes=2", "--emulated-version=1.37", "--history=1h,256Mi"],
});
const limit = 300_000;
/** In processor time of the server; the aim is 250 ms. */
const waitMsMax = 1_000;
const core = "/api/v1/namespaces/default";
const asAlice = { token: aliceToken };
const merge = "application/merge-patch+json";
const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const keys = (count: number, make: (at: number) => string) =>
  Object.fromEntries(items(count, (at) => [`k${at}`, make(at)]));

beforeAll(async () => {
  const group = "rbac.authorization.orch.io";
  await target.post(`/apis/${group}/v1/clusterroles`, {
    metadata: { name: "all-of-a-namespace" },
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
  });
  await target.post(`/apis/${group}/v1/namespaces/default/rolebindings`, {
    metadata: { name: "alice" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "all-of-a-namespace" },
    subjects: [{ apiGroup: group, kind: "User", name: "alice" }],
  });
});

/** Runs the attack beside an honest client: no turn is long, and the client does not wait. */
async function keepsNobodyWaiting(attack: () => Promise<unknown>): Promise<void> {
  let [longestMs, isOver] = [0, false];
  const honest = async () => {
    for (; !isOver; await pause(20)) longestMs = Math.max(longestMs, await target.honestMs());
  };
  const cost = await target.cost(async () => {
    const attacking = attack().finally(() => {
      isOver = true;
    });
    await Promise.all([attacking, honest()]);
  });
  checkTurns(cost);
  expect(longestMs).toBeLessThan(waitMsMax);
}

const create = async (path: string, body: object, statuses = [201]) => {
  const { status, text } = await target.post(path, body, asAlice);
  expect([status, statuses.includes(status) ? "" : text.slice(0, 300)]).toEqual([expect.any(Number), ""]);
};
const patch = (path: string, body: object) => target.request(path, { ...asAlice, method: "PATCH", type: merge, body });

describe("past states", () => {
  const changes = "/apis/history.orch.io/v1alpha1/namespaces/default/changes";
  const updates = isLong ? 60 : 12;

  test("changes of large objects", { timeout: limit }, async () => {
    await create(`${core}/configmaps`, { metadata: { name: "wide" }, data: keys(30_000, () => "v") });
    await create(`${core}/configmaps`, { metadata: { name: "long" }, data: keys(400, () => "x".repeat(2_000)) });
    for (let at = 0; at < updates; at++) {
      await patch(`${core}/configmaps/wide`, { data: { k29999: `${at}` } });
      await patch(`${core}/configmaps/long`, { data: keys(400, () => String(at % 10).repeat(2_000)) });
    }
    await keepsNobodyWaiting(() =>
      Promise.all(
        items(4, async () => {
          const { status, bytes, body } = await target.request(`${changes}?limit=500`, asAlice);
          expect(status).toBe(200);
          expect(bytes.length).toBeLessThan(3 * changesBytesMax);
          expect(body.items.length).toBeGreaterThan(0);
          expect(body.metadata.continue).not.toBe("");
        }),
      ),
    );
  });

  test("lists of the past", { timeout: limit }, async () => {
    const { body } = await target.request(`${core}/configmaps/wide`, asAlice);
    const atTime = new Date(Date.now() - 1_000).toISOString();
    await keepsNobodyWaiting(() =>
      Promise.all(
        items(12, async (at) => {
          const query =
            at % 2 === 0
              ? `atTime=${atTime}`
              : `resourceVersion=${body.metadata.resourceVersion}&resourceVersionMatch=Exact`;
          const { status } = await target.request(
            `${core}/configmaps?${query}&where=self.metadata.name!="${at}"`,
            asAlice,
          );
          expect([200, 400, 429]).toContain(status);
        }),
      ),
    );
  });

  test("times that are none", { timeout: limit }, async () => {
    for (const atTime of ["9".repeat(5_000), "-1", "NaN", "+275760-09-13T00:00:00Z", "0000-00-00T00:00:00Z", "%00"])
      for (const path of [`${core}/configmaps?atTime=${atTime}`, `${changes}?fieldSelector=since=${atTime}`]) {
        const { status } = await target.request(path, asAlice);
        expect([400, 410]).toContain(status);
      }
  });
});

test("hundreds of cron jobs whose next run is far or never, in many time zones", { timeout: limit }, async () => {
  const zones = Intl.supportedValuesOf("timeZone");
  const container = { name: "c", image: "i" };
  const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } };
  await keepsNobodyWaiting(async () => {
    for (let at = 0; at < (isLong ? 600 : 60); at++)
      await create("/apis/batch/v1/namespaces/default/cronjobs", {
        metadata: { name: `c${at}` },
        spec: {
          schedule: ["0 0 31 2 *", "59 23 29 2 6", "* * * * *", "@every 1s"][at % 4],
          timeZone: zones[at % zones.length],
          startingDeadlineSeconds: 100_000_000,
          suspend: at % 3 === 0,
          jobTemplate,
        },
      });
    await pause(3_000);
  });
  await target.request("/apis/batch/v1/namespaces/default/cronjobs", { ...asAlice, method: "DELETE" });
});

describe("programs of simulated containers", () => {
  const scripts: readonly (readonly [what: string, script: string])[] = [
    ["a loop", "while true; do :; done"],
    ["text that doubles", 'a=x; while true; do a="$a$a"; done'],
    ["numbers that grow", "i=1; while true; do i=$((i*i+1)); done"],
    ["processes that start each other", "f() { f & f; }; f"],
    ["a pipe that never ends", "yes | cat | tr y z | sed s/z/a/ | head -c 100000000000 | wc -c"],
    ["patterns", "while true; do for f in /*/*/*/*; do case $f in *a*a*a*a*a*a*a*a*b) ;; esac; done; done"],
    [
      "regular expressions",
      'x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; while true; do echo $x | grep -E "(a+)+$b"; echo $x | sed -E "s/(a|aa)+b/x/"; done',
    ],
    ["files", "i=0; while true; do i=$((i+1)); echo $i > /tmp/$i; cat /tmp/* > /dev/null; done"],
    ["sorting", "while true; do seq 1 100000 | sort -r | uniq | tail -n 1; done"],
    ["printing", 'while true; do printf "%0999d%999s\\n" 1 x; done'],
  ];

  test("all of them in one namespace", { timeout: limit }, async () => {
    const before = await target.usedBytes();
    await keepsNobodyWaiting(async () => {
      for (const [at, [, script]] of scripts.entries())
        for (let copy = 0; copy < (isLong ? 10 : 3); copy++)
          await create(`${core}/pods`, {
            metadata: { name: `p${at}-${copy}` },
            spec: {
              restartPolicy: "Always",
              containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script] }],
            },
          });
      await pause(isLong ? 60_000 : 6_000);
      await Promise.all(
        items(30, (at) => target.request(`${core}/pods/p${at % scripts.length}-0/log?tailLines=100`, asAlice)),
      );
    });
    await target.request(`${core}/pods?gracePeriodSeconds=0`, { ...asAlice, method: "DELETE" });
    const left = async () => (await target.request(`${core}/pods`)).body.items.length;
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
    await expect
      .poll(async () => (await target.usedBytes()) - before, { timeout: 60_000 })
      .toBeLessThan(64 * 1024 * 1024);
  });
});

describe("objects of definitions", () => {
  const things = "/apis/example.com/v1/namespaces/default/things";
  beforeAll(async () => {
    const text = { type: "string" };
    const item = {
      type: "object",
      required: ["name"],
      properties: { name: text, value: { type: "string", maxLength: 4 } },
    };
    const openAPIV3Schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            map: {
              type: "array",
              items: item,
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
            },
            set: { type: "array", items: { type: "string", maxLength: 4 }, "x-kubernetes-list-type": "set" },
            plain: { type: "array", items: item },
            any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            size: { type: "string", maxLength: 4, "x-kubernetes-validations": [{ rule: "self.size() < 4" }] },
          },
        },
      },
    };
    const version = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema },
      selectableFields: [{ jsonPath: ".spec.size" }],
    };
    const spec = {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [version],
    };
    const path = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
    const { status, text: why } = await target.post(path, { metadata: { name: "things.example.com" }, spec });
    expect([status, status === 201 ? "" : why]).toEqual([201, ""]);
    while ((await target.request(things)).status !== 200) await pause(50);
  });
  const thing = (name: string, spec: object) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name },
    spec,
  });
  const put = (name: string, spec: object) =>
    target.request(`${things}/${name}?fieldManager=m&force=true`, {
      ...asAlice,
      method: "PATCH",
      type: "application/apply-patch+yaml",
      body: thing(name, spec),
    });

  test("updates of long lists that are compared item by item", { timeout: limit }, async () => {
    const map = (from: number) => items(14_000, (at) => ({ name: `n${at + from}`, value: "v" }));
    const set = (from: number) =>
      items(40_000, (at) => `${at + from}`.slice(-4).padStart(4, "a")).filter(
        (text, at, all) => all.indexOf(text) === at,
      );
    await keepsNobodyWaiting(async () => {
      for (let time = 0; time < 3; time++) {
        const written = [
          await put("map", { map: map(time * 100) }),
          await put("set", { set: set(time * 100) }),
          await put("plain", { plain: map(time * 100) }),
        ];
        for (const { status, text } of written)
          expect([time, status, text.slice(0, 200)]).toEqual([time, time === 0 ? 201 : 200, expect.any(String)]);
      }
    });
  });

  test("deep objects, and their changes", { timeout: limit }, async () => {
    const nested = (depth: number, inner: object) => {
      let object = inner;
      for (let at = 0; at < depth; at++) object = { a: object };
      return object;
    };
    const wide = keys(20_000, () => "v");
    await keepsNobodyWaiting(async () => {
      for (const value of ["1", "2", "3"]) {
        const { status, text } = await put("deep", { any: nested(900, { ...wide, z: value }) });
        expect([status, text.slice(0, 200)]).toEqual([value === "1" ? 201 : 200, expect.any(String)]);
        await target.request(
          `/apis/history.orch.io/v1alpha1/namespaces/default/changes?fieldSelector=object.name=deep`,
          asAlice,
        );
      }
    });
  });
});

test("streams of clients that break the protocol of exec are closed, and are no errors", {
  timeout: limit,
}, async () => {
  const container = { name: "c", image: "i", command: ["sleep", "infinity"] };
  await create(`${core}/pods`, { metadata: { name: "streams" }, spec: { containers: [container] } });
  const isRunning = async () => (await target.request(`${core}/pods/streams`)).body.status?.phase === "Running";
  await expect.poll(isRunning, { timeout: 60_000 }).toBe(true);
  const unreadable = controlFrame(frameTypes.synStream, Buffer.alloc(100, 0xa5));
  for (const bytes of [unreadable, Buffer.alloc(100, 0xa5), controlFrame(frameTypes.synStream, Buffer.alloc(3))]) {
    const lines = [
      `POST ${core}/pods/streams/exec?command=cat&stdin=true&stdout=true HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${aliceToken}`,
      "Connection: Upgrade",
      "Upgrade: SPDY/3.1",
      "X-Stream-Protocol-Version: v4.channel.k8s.io",
    ];
    const socket = await target.connect();
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const [head] = await once(socket, "data");
    expect(String(head)).toMatch(/^HTTP\/1\.1 101 /);
    socket.resume().write(bytes);
    await once(socket, "close");
  }
});
