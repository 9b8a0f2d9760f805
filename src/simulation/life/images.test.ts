import { describe, expect, test } from "vitest";
import { pullPatternsMax } from "./behaviour.ts";
import { imageIdOf, matchesImage } from "./images.ts";
import { live, podOf, toldOf } from "./pod-life.suite.ts";

describe("the id of an image", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const name = (image: string) => imageIdOf(image).split("@")[0];

  test("is its name with a digest, its own if it has one", () => {
    expect(imageIdOf(`shop/web@${digest}`)).toBe(`shop/web@${digest}`);
    expect(imageIdOf("shop/web:1")).toMatch(/^shop\/web@sha256:[0-9a-f]{64}$/);
    expect([name("web"), name("here:5000/web"), name("here:5000/web:2")]).toEqual([
      "web",
      "here:5000/web",
      "here:5000/web",
    ]);
  });

  test("is the same for one image, another for another tag, and in the status of a container that runs", () => {
    expect(imageIdOf("web:1")).toBe(imageIdOf("web:1"));
    expect(imageIdOf("web:1")).not.toBe(imageIdOf("web:2"));
    expect(live(podOf()).pod.status?.containerStatuses?.[0]?.imageID).toBe(imageIdOf("i"));
  });
});

describe("an image that cannot be pulled", () => {
  const broken = podOf({ containers: [{ name: "c", image: "shop/web:nope" }] }, { "image-pull-fails": "x, *:nope" });

  test("keeps its container waiting, and is pulled again after growing delays", () => {
    expect(toldOf(broken, { untilMs: 35_000 })).toEqual([
      "0 Pending c:ContainerCreating",
      "200 Pending c:ErrImagePull",
      "2200 Pending c:ImagePullBackOff",
      "10200 Pending c:ErrImagePull",
      "12200 Pending c:ImagePullBackOff",
      "30200 Pending c:ErrImagePull",
      "32200 Pending c:ImagePullBackOff",
    ]);
  });

  test("has the Events of agents", () => {
    expect(live(broken, { untilMs: 5_000 }).events).toEqual([
      'Normal Pulling Pulling image "shop/web:nope"',
      'Warning Failed Failed to pull image "shop/web:nope": not found on the simulated node',
      "Warning Failed Error: ErrImagePull",
      'Normal BackOff Back-off pulling image "shop/web:nope"',
      "Warning Failed Error: ImagePullBackOff",
    ]);
  });

  test("runs once it can be pulled", () => {
    const { told } = live(broken, {
      untilMs: 20_000,
      edit: (pod, atMs) => (atMs < 5_000 ? pod : { ...pod, metadata: { ...pod.metadata, annotations: {} } }),
    });
    expect(told.at(-1)).toBe("10200 Running* c:running,ready");
  });

  test("is not tried if it must not be pulled", () => {
    const never = { containers: [{ name: "c", image: "i", imagePullPolicy: "Never" }] };
    const { pod } = live(podOf(never, { "image-pull-fails": "*" }));
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "ErrImageNeverPull",
      message: 'Container image "i" is not present with pull policy of Never',
    });
  });

  test("is named by a pattern", () => {
    const rows: [pattern: string, image: string, matches: boolean][] = [
      ["web", "web", true],
      ["web", "web:1", false],
      ["web*", "web:1", true],
      ["*/web:*", "shop/web:1", true],
      ["*/web:*", "web:1", false],
      ["a*b*c", "aXbXc", true],
      ["a*a", "a", false],
      ["a*b*b", "ab", false],
      ["*", "anything", true],
    ];
    for (const [pattern, image, matches] of rows)
      expect([pattern, image, matchesImage(pattern, image)]).toEqual([pattern, image, matches]);
  });

  test(`is one of at most ${pullPatternsMax} patterns`, () => {
    const many = [...Array.from({ length: pullPatternsMax }, (_, at) => `x${at}`), "i"].join(",");
    expect(toldOf(podOf({}, { "image-pull-fails": many })).at(-1)).toBe("200 Running* c:running,ready");
  });
});
