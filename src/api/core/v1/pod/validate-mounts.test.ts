import { describe } from "vitest";
import { checkContainer } from "../pod.suite.ts";

describe("the mounts of a container", () => {
  const spec = {
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "p", persistentVolumeClaim: { claimName: "p" } },
    ],
  };
  const mounts = (...volumeMounts: object[]) => ({ volumeMounts });
  const devices = (...volumeDevices: object[]) => ({ volumeDevices });
  checkContainer([
    {
      why: "are of volumes, at places",
      spec,
      given: mounts({ name: "", mountPath: "" }, { name: "w", mountPath: "/a" }, { name: "v", mountPath: "/a" }),
      expected: [
        "Invalid volumeMounts[2].mountPath",
        "NotFound volumeMounts[0].name",
        "NotFound volumeMounts[1].name",
        "Required volumeMounts[0].mountPath",
        "Required volumeMounts[0].name",
      ],
    },
    {
      why: "stay in their volume",
      spec,
      given: mounts({ name: "v", mountPath: "/a", subPath: "/a" }, { name: "v", mountPath: "/b", subPath: "a/../.." }),
      expected: ["Invalid volumeMounts.subPath"],
    },
    {
      why: "have one path below",
      spec,
      given: mounts({ name: "v", mountPath: "/a", subPath: "a", subPathExpr: "../b" }),
      expected: ["Invalid volumeMounts.subPathExpr", "Invalid volumeMounts[0].subPathExpr"],
    },
    {
      why: "spread in ways that there are, to the host for the privileged only",
      spec,
      given: mounts(
        { name: "v", mountPath: "/a", mountPropagation: "Everywhere" },
        { name: "v", mountPath: "/b", mountPropagation: "Bidirectional" },
      ),
      expected: ["Forbidden volumeMounts.mountPropagation", "NotSupported volumeMounts.mountPropagation"],
    },
    {
      why: "that are devices are of claims, at places below",
      spec,
      given: devices(
        { name: "v", devicePath: "/a/../b" },
        { name: "w", devicePath: "/c" },
        { name: "p", devicePath: "" },
      ),
      expected: [
        "Invalid volumeDevices[0].devicePath",
        "Invalid volumeDevices[0].name",
        "NotFound volumeDevices[1].name",
        "Required volumeDevices[2].devicePath",
      ],
    },
    {
      why: "are files or devices",
      spec,
      given: { ...mounts({ name: "p", mountPath: "/a" }), ...devices({ name: "p", devicePath: "/a" }) },
      expected: [
        "Invalid volumeDevices[0].devicePath",
        "Invalid volumeDevices[0].name",
        "Invalid volumeMounts[0].mountPath",
        "Invalid volumeMounts[0].name",
      ],
    },
    {
      why: "that are devices have names and places of their own",
      spec,
      given: devices(
        { name: "", devicePath: "/a" },
        { name: "", devicePath: "/b" },
        { name: "p", devicePath: "/c" },
        { name: "p", devicePath: "/c" },
      ),
      expected: [
        "Invalid volumeDevices[3].devicePath",
        "Invalid volumeDevices[3].name",
        "NotFound volumeDevices[0].name",
        "NotFound volumeDevices[1].name",
        "Required volumeDevices[0].name",
        "Required volumeDevices[1].name",
      ],
    },
  ]);
});
