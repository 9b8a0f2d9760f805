/** Volumes of files that the server makes of its objects: keys of maps and secrets, fields of the pod, tokens and certificates. */

import type { Static } from "../../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, list, map, optional, string, struct } from "../../../../machinery/schema/build.ts";
import { checkUserAnnotations } from "../../../certificates/v1/pod-certificate-rules.ts";
import { validateSignerName } from "../../../certificates/v1/request-spec.ts";
import { LabelSelector } from "../../../meta/label-selector.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../pod/container-env.ts";
import { validateSourcePaths } from "./source-rules.ts";

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";

const fileMode = optional(int32())
  .atLeast(0)
  .atMost(0o777, modeText)
  .doc("The mode of the file, 0 to 0777; decimal in JSON. Absent: defaultMode of the volume.");
const defaultMode = optional(int32())
  .atLeast(0)
  .atMost(0o777, modeText)
  .default(0o644)
  .doc("The default mode of files, 0 to 0777; decimal in JSON. Default: 0644.");
const userOfFiles = optional(int64()).since("1.37").atLeast(0).behind("AtomicWriteVolumeUserFields");
const fileUser = userOfFiles.doc("The user that owns the file. Absent: root, or the user of the pod.");
const defaultUser = userOfFiles.doc(
  "The user that owns files which name none; needs the feature gate AtomicWriteVolumeUserFields.",
);

const KeyToPath = struct("core.v1.KeyToPath", {
  key: string().at(1).required().doc("The key whose value becomes the content of the file. Required."),
  path: string().at(2).required().named("filePath").doc("The relative path of the file; must not contain .."),
  mode: fileMode.at(3),
  user: fileUser.at(4),
});

const keyItems = elided(list(KeyToPath)).doc(
  "Which keys become which files. Absent: every key becomes a file of its name.",
);

const ConfigMapProjection = struct(
  "core.v1.ConfigMapProjection",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .doc("The name of the config map, in the namespace of the pod."),
    items: keyItems.at(2),
    optional: optional(bool()).at(4).doc("Whether the config map or its keys may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 } },
);

export const ConfigMapVolumeSource = struct(
  "core.v1.ConfigMapVolumeSource",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .doc("The name of the config map, in the namespace of the pod."),
    items: keyItems.at(2),
    defaultMode: defaultMode.at(3),
    optional: optional(bool()).at(4).doc("Whether the config map or its keys may be missing. Default: false."),
    defaultUser: defaultUser.at(5),
  },
  { inline: { localObjectReference: 1 } },
);

export const DownwardAPIVolumeFile = struct("core.v1.DownwardAPIVolumeFile", {
  path: string().at(1).required().named("filePath").doc("The relative path of the file; must not contain .."),
  fieldRef: optional(ObjectFieldSelector)
    .at(2)
    .doc("A field of the pod: annotations, labels, name, namespace or uid of its metadata."),
  resourceFieldRef: optional(ResourceFieldSelector)
    .at(3)
    .doc("A limit or request of a container: limits.cpu, limits.memory, requests.cpu or requests.memory."),
  mode: fileMode.at(4),
  user: fileUser.at(5),
});
export type DownwardAPIVolumeFile = Static<typeof DownwardAPIVolumeFile>;

const DownwardAPIProjection = struct("core.v1.DownwardAPIProjection", {
  items: elided(list(DownwardAPIVolumeFile.reported("")))
    .at(1)
    .reported("")
    .doc("Which fields of the pod become which files."),
});

export const DownwardAPIVolumeSource = struct("core.v1.DownwardAPIVolumeSource", {
  items: elided(list(DownwardAPIVolumeFile.reported("")))
    .at(1)
    .reported("")
    .doc("Which fields of the pod become which files."),
  defaultMode: defaultMode.at(2),
  defaultUser: defaultUser.at(3),
});

const SecretProjection = struct(
  "core.v1.SecretProjection",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .doc("The name of the secret, in the namespace of the pod."),
    items: keyItems.at(2),
    optional: optional(bool()).at(4).doc("Whether the secret or its keys may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 } },
);

const ServiceAccountTokenProjection = struct("core.v1.ServiceAccountTokenProjection", {
  audience: elided(string()).at(1).doc("Who the token is for. Absent: the API server."),
  expirationSeconds: optional(int64())
    .at(2)
    .atLeast(600, "may not specify a duration less than 10 minutes")
    .atMost(2 ** 32, "may not specify a duration larger than 2^32 seconds")
    .default(3600)
    .doc("How long a token is valid, at least 600 seconds; it is renewed before it expires. Default: 3600."),
  path: string()
    .at(3)
    .required()
    .from("1.28", (path) => path.named("filePath"))
    .reported("../../../path")
    .doc("The path of the token file within the volume."),
  user: fileUser.at(4),
});

export const ClusterTrustBundleProjection = struct("core.v1.ClusterTrustBundleProjection", {
  name: optional(string()).at(1).doc("One ClusterTrustBundle; excludes signerName and labelSelector."),
  signerName: optional(string()).at(2).doc("The signer of the bundles that are combined."),
  labelSelector: optional(LabelSelector).at(3).doc("Labels of the bundles. Absent: none; empty: all of the signer."),
  path: string().at(4).required().named("filePath").doc("The path of the file with the trust anchors."),
  optional: optional(bool()).at(5).doc("Whether the bundles may be missing. Default: false."),
  user: fileUser.at(6),
});

const keyTypes = ["ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096"];

export const PodCertificateProjection = struct("core.v1.PodCertificateProjection", {
  signerName: elided(string())
    .at(1)
    .listed(true)
    .required()
    .checked(validateSignerName)
    .doc("The signer that the certificate is asked of."),
  keyType: elided(string())
    .at(2)
    .listed(true)
    .oneOf(keyTypes)
    .evenEmpty()
    .openApiEnum("none")
    .doc("The kind of key that is made: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519."),
  maxExpirationSeconds: optional(int32()).at(3).doc("How long the certificate is valid at most. Default: 86400."),
  credentialBundlePath: elided(string())
    .at(4)
    .named("filePath")
    .doc("The path of the file with the key and the certificates."),
  keyPath: elided(string()).at(5).named("filePath").doc("The path of the file with the key alone."),
  certificateChainPath: elided(string())
    .at(6)
    .named("filePath")
    .doc("The path of the file with the certificates alone."),
  userAnnotations: elided(map(string()))
    .at(7)
    .since("1.35")
    .checked(checkUserAnnotations)
    .doc("Further facts for the signer."),
  user: fileUser.at(8),
});

export const VolumeProjection = struct("core.v1.VolumeProjection", {
  secret: optional(SecretProjection).at(1).doc("One file for each key of a secret."),
  downwardAPI: optional(DownwardAPIProjection).at(2).doc("Files whose content comes from fields of the pod."),
  configMap: optional(ConfigMapProjection).at(3).doc("One file for each key of a config map."),
  serviceAccountToken: optional(ServiceAccountTokenProjection)
    .at(4)
    .doc("A file with a token of the service account of the pod."),
  clusterTrustBundle: optional(ClusterTrustBundleProjection)
    .at(5)
    .since("1.29")
    .behind("ClusterTrustBundleProjection")
    .doc("A file with trust anchors; needs the feature gate ClusterTrustBundleProjection."),
  podCertificate: optional(PodCertificateProjection)
    .at(6)
    .since("1.34")
    .behind("PodCertificateRequest")
    .doc("Files with a key and a certificate of the pod; needs the feature gate PodCertificateRequest."),
});
export type VolumeProjection = Static<typeof VolumeProjection>;

export const ProjectedVolumeSource = struct("core.v1.ProjectedVolumeSource", {
  sources: list(VolumeProjection)
    .listed(false)
    .at(1)
    .checked(validateSourcePaths)
    .doc("The sources whose files are combined in the volume."),
  defaultMode: defaultMode.at(2),
  defaultUser: defaultUser.at(3),
});

export const SecretVolumeSource = struct("core.v1.SecretVolumeSource", {
  secretName: elided(string()).at(1).required().doc("The name of the secret, in the namespace of the pod."),
  items: keyItems.at(2),
  defaultMode: defaultMode.at(3),
  optional: optional(bool()).at(4).doc("Whether the secret or its keys may be missing. Default: false."),
  defaultUser: defaultUser.at(5),
});
