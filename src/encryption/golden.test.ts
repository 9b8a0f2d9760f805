import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { openEncryption } from "./encryption.ts";

// Stored values in the layouts of v1.21. They must stay readable forever.
const key = "/core/secrets/default/a";
const object = '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}';
const file = `{apiVersion: apiserver.config.k8s.io/v1, kind: EncryptionConfiguration, resources: [{resources: [secrets], providers: [
  {aescbc: {keys: [{name: key1, secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}},
  {aesgcm: {keys: [{name: key1, secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}},
  {secretbox: {keys: [{name: key1, secret: YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=}]}}]}]}`;
const golden = [
  [
    "k8s:enc:aescbc:v1:key1:",
    "AAECAwQFBgcICQoLDA0OD24p01y9Gg11oyiGAd50i3fLRJ6JV5J2TLAskYVKlslO+3uWYG7pYgxKWvCtiVFx9q+/+SHW9YrMwecVMSQ+Izo=",
  ],
  [
    "k8s:enc:aesgcm:v1:key1:",
    "AAECAwQFBgcICQoLmdHDjfXOFI039A+eGro9aVQ1xJq0vdFvQRrIKeu84QMMVTd/how32ken6DNBYUSBFOqPi8dxCcRqn/H8MbCf751ueU1BXsaZsCuT",
  ],
  [
    "k8s:enc:secretbox:v1:key1:",
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX7/Hx6goNjMY+t4xT/hIDoW7X58hvB0zhcczcJz3+xW9iiAEjWTC1GChoH7ZIj4DCmpndrYAdRSGVzFtcbkjH1Ee3fJPIGg2GuYSC",
  ],
] as const;
for (const [prefix, body] of golden) {
  test(`a stored value of ${prefix} is read`, async () => {
    const encryption = await openEncryption({
      read: async () => file,
      familyOf: (resource) => `core/${resource}` as FamilyId,
      vocabulary: kubernetes,
      clock: systemClock,
      log: silentLog,
    });
    const stored = Buffer.concat([Buffer.from(prefix), Buffer.from(body, "base64")]);
    const { value } = await encryption.transformer.fromStorage(key, stored);
    expect(Buffer.from(value).toString()).toBe(object);
    encryption.close();
  });
}
