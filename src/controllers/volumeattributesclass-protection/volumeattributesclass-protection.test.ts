import { test } from "vitest";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { VolumeAttributesClass } from "../../api/storage/v1/volume-attributes-class.ts";
import { withControllers } from "../scenario.suite.ts";
import { volumeAttributesClassProtection } from "./wire.ts";

test("a class stays until no claim names it", () =>
  withControllers(
    [volumeAttributesClassProtection],
    async ({ client, create, until, untilGone }) => {
      const name = "gold";
      const parameters = { iops: "9" };
      await create(VolumeAttributesClass, { metadata: { name }, driverName: "csi.example.com", parameters });
      const ref = { namespace: "default", name: "c" };
      const resources = { requests: { storage: "1Gi" } };
      const spec = { accessModes: ["ReadWriteOnce"], resources, volumeAttributesClassName: name };
      await create(PersistentVolumeClaim, { metadata: ref, spec });
      await until(VolumeAttributesClass, { name }, ({ metadata }) => (metadata.finalizers ?? []).length === 1);
      await client.of(VolumeAttributesClass).delete({ name });
      await until(VolumeAttributesClass, { name }, ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await client.of(PersistentVolumeClaim).delete(ref);
      await client.of(PersistentVolumeClaim).patch(ref, { metadata: { finalizers: null } });
      await untilGone(VolumeAttributesClass, { name });
    },
    { server: { emulatedVersion: "1.35" } },
  ));
