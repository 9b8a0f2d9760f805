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
      why: "must name existing volumes and unique paths",
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
      why: "must have a subPath inside the volume",
      spec,
      given: mounts({ name: "v", mountPath: "/a", subPath: "/a" }, { name: "v", mountPath: "/b", subPath: "a/../.." }),
      expected: ["Invalid volumeMounts.subPath"],
    },
    {
      why: "must not have both subPath and subPathExpr",
      spec,
      given: mounts({ name: "v", mountPath: "/a", subPath: "a", subPathExpr: "../b" }),
      expected: ["Invalid volumeMounts.subPathExpr", "Invalid volumeMounts[0].subPathExpr"],
    },
    {
      why: "must have a known propagation, and Bidirectional only in a privileged container",
      spec,
      given: mounts(
        { name: "v", mountPath: "/a", mountPropagation: "Everywhere" },
        { name: "v", mountPath: "/b", mountPropagation: "Bidirectional" },
      ),
      expected: ["Forbidden volumeMounts.mountPropagation", "NotSupported volumeMounts.mountPropagation"],
    },
    {
      why: "of block devices must name claims and valid paths",
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
      why: "must not use a volume or path both as a file system and as a block device",
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
      why: "of block devices must have unique names and paths",
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
