import { describe, expect, test } from "vitest";
import { type Level, levels } from "../../../../machinery/schema/levels.ts";
import { bindVersions, create } from "../../../life.suite.ts";
import { container, pod } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

const kindAt = (level: Level) => bindVersions([Pod], {}, level).version("v1");
const problemsAt = (level: Level, spec: object) => create(kindAt(level), pod(spec)).problems;
/** What a spec gets at each level, as the levels at which that begins. */
function changes(answer: (level: Level) => unknown): [Level, unknown][] {
  const all = levels.map((level) => [level, answer(level)] as [Level, unknown]);
  return all.filter(([, now], index) => JSON.stringify(now) !== JSON.stringify(all[index - 1]?.[1]));
}

describe("over all levels", () => {
  const image = { volumes: [{ name: "v", image: { reference: "a:1" } }] };
  const cases: { why: string; spec: object; expected: [Level, unknown][] }[] = [
    {
      why: "a container has a policy for restarts of its own",
      spec: { containers: [{ ...container, restartPolicy: "Never" }] },
      expected: [
        ["1.21", []],
        ["1.28", ["Forbidden spec.containers[0].restartPolicy"]],
        ["1.34", []],
      ],
    },
    {
      why: "an init container has a policy other than Always",
      spec: { initContainers: [{ name: "i", image: "i", restartPolicy: "Never" }] },
      expected: [
        ["1.21", []],
        ["1.29", ["NotSupported spec.initContainers[0].restartPolicy"]],
        ["1.34", []],
      ],
    },
    {
      why: "a spread constraint without a selector takes an invalid key",
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["_"] },
        ],
      },
      expected: [
        ["1.21", []],
        [
          "1.27",
          [
            "Forbidden spec.topologySpreadConstraints[0].matchLabelKeys",
            "Invalid spec.topologySpreadConstraints[0].matchLabelKeys[0]",
          ],
        ],
        ["1.34", ["Forbidden spec.topologySpreadConstraints[0].matchLabelKeys"]],
      ],
    },
    {
      why: "a search domain has an underscore",
      spec: { dnsConfig: { searches: ["a_b"] } },
      expected: [
        ["1.21", ["Invalid spec.dnsConfig.searches[0]"]],
        ["1.33", []],
      ],
    },
  ];
  test.each(cases)("$why", ({ spec, expected }) => {
    expect(changes((level) => problemsAt(level, spec))).toEqual(expected);
  });

  test("a volume of an image goes with its mounts while the gate is off", () => {
    const spec = { ...image, containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }] };
    const sourceAt = (level: Level) => {
      const shown = create(kindAt(level), pod(spec)).object as unknown as {
        spec: { volumes?: object[]; containers: { volumeMounts?: unknown }[] };
      };
      const sources = shown.spec.volumes?.flatMap((volume) => Object.keys(volume)).sort();
      return [sources, shown.spec.containers[0]?.volumeMounts !== undefined];
    };
    expect(changes(sourceAt)).toEqual([
      ["1.21", [["emptyDir", "name"], true]],
      ["1.31", [undefined, false]],
      ["1.35", [["image", "name"], true]],
    ]);
  });
});
