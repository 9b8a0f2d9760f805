/** File systems of the network, and folders of the node, as sources of volumes. */

import {
  bool,
  elided,
  list,
  nullable,
  optional,
  type Static,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import { type FieldErrors, noErrors, required } from "../../../../machinery/status/field-error.ts";
import { LocalObjectReference, SecretReference } from "../references.ts";

export const AzureFilePersistentVolumeSource = struct("core.v1.AzureFilePersistentVolumeSource", {
  secretName: string().at(1).required().doc("The secret with the name and key of the storage account."),
  shareName: string().at(2).required().doc("The name of the share in Azure Files. Required."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  secretNamespace: nullable(string()).at(4).filled().doc("The namespace of the secret. Absent: that of the pod."),
});
export type AzureFilePersistentVolumeSource = Static<typeof AzureFilePersistentVolumeSource>;

export const AzureFileVolumeSource = struct("core.v1.AzureFileVolumeSource", {
  secretName: string().at(1).required().doc("The secret with the name and key of the storage account."),
  shareName: string().at(2).required().doc("The name of the share in Azure Files. Required."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
});
export type AzureFileVolumeSource = Static<typeof AzureFileVolumeSource>;

export const CephFSPersistentVolumeSource = struct("core.v1.CephFSPersistentVolumeSource", {
  monitors: list(string()).at(1).required().doc("Addresses of the Ceph monitors; required."),
  path: elided(string()).at(2).doc("The directory to mount. Absent: /."),
  user: elided(string()).at(3).doc("The user to mount as. Absent: admin."),
  secretFile: elided(string()).at(4).doc("The path of the key ring on the node. Absent: /etc/ceph/user.secret."),
  secretRef: optional(SecretReference)
    .at(5)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
});
export type CephFSPersistentVolumeSource = Static<typeof CephFSPersistentVolumeSource>;

export const CephFSVolumeSource = struct("core.v1.CephFSVolumeSource", {
  monitors: list(string()).at(1).required().doc("Addresses of the Ceph monitors; required."),
  path: elided(string()).at(2).doc("The directory to mount. Absent: /."),
  user: elided(string()).at(3).doc("The user to mount as. Absent: admin."),
  secretFile: elided(string()).at(4).doc("The path of the key ring on the node. Absent: /etc/ceph/user.secret."),
  secretRef: optional(LocalObjectReference)
    .at(5)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
});
export type CephFSVolumeSource = Static<typeof CephFSVolumeSource>;

export const GlusterfsPersistentVolumeSource = struct("core.v1.GlusterfsPersistentVolumeSource", {
  endpoints: string().at(1).required().doc("The Endpoints object that lists the Gluster servers."),
  path: string().at(2).required().doc("The name of the Gluster volume."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  endpointsNamespace: optional(string())
    .at(4)
    .named("label")
    .doc("The namespace of the Endpoints object. Absent: that of the claim."),
});
export type GlusterfsPersistentVolumeSource = Static<typeof GlusterfsPersistentVolumeSource>;

export const GlusterfsVolumeSource = struct("core.v1.GlusterfsVolumeSource", {
  endpoints: string().at(1).required().doc("The Endpoints object that lists the Gluster servers."),
  path: string().at(2).required().doc("The name of the Gluster volume."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
});
export type GlusterfsVolumeSource = Static<typeof GlusterfsVolumeSource>;

export const HostPathVolumeSource = struct("core.v1.HostPathVolumeSource", {
  path: string()
    .at(1)
    .required()
    .named("pathWithoutParents")
    .doc("The path of the file or directory on the node. Required."),
  type: optional(string())
    .at(2)
    .oneOf(["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"])
    .default("")
    .doc(
      "What must be at the path: DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice or BlockDevice. Default: empty, which checks nothing.",
    ),
});
export type HostPathVolumeSource = Static<typeof HostPathVolumeSource>;

export const LocalVolumeSource = struct("core.v1.LocalVolumeSource", {
  path: string()
    .at(1)
    .required()
    .named("pathWithoutParents")
    .doc("The path of the volume on the node: a directory or a block device."),
  fsType: optional(string())
    .at(2)
    .doc("The file system to mount if path is a block device. Absent: chosen by the node."),
});
export type LocalVolumeSource = Static<typeof LocalVolumeSource>;

export const NFSVolumeSource = struct("core.v1.NFSVolumeSource", {
  server: string().at(1).required().doc("The host name or IP address of the NFS server."),
  path: string().at(2).required().named("absolutePath").evenEmpty().doc("The path that the server exports."),
  readOnly: elided(bool()).at(3).doc("Whether the export is mounted read-only. Default: false."),
});
export type NFSVolumeSource = Static<typeof NFSVolumeSource>;

const tenantCharsMax = 64;
const registryText = "must be a host:port pair or multiple pairs separated by commas";

/** `host:port`, `[::1]:port`; either side may be empty. */
const isHostAndPort = (text: string): boolean =>
  /^\[([^[\]]*)\]:([^:[\]]*)$/.test(text) || /^[^:[\]]*:[^:[\]]*$/.test(text);

export const isQuobyteTenant = (tenant: string): boolean => tenant.length <= tenantCharsMax;

/** v1.21 reports a tenant that is too long as missing. */
const validateTenant = (tenant: string, path: string): FieldErrors =>
  isQuobyteTenant(tenant)
    ? noErrors
    : [required(path, `must be a UUID and may not exceed ${tenantCharsMax} characters`)];

export const QuobyteVolumeSource = struct("core.v1.QuobyteVolumeSource", {
  registry: string()
    .at(1)
    .required(registryText)
    .named((pairs) => (pairs.split(",").every(isHostAndPort) ? [] : [registryText]))
    .doc("Quobyte registries, as HOST:PORT separated by commas."),
  volume: string().at(2).required().doc("The name of the Quobyte volume. Required."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  user: elided(string()).at(4).doc("The user to mount as. Absent: that of the service account."),
  group: elided(string()).at(5).doc("The group to mount as. Absent: none."),
  tenant: elided(string())
    .at(6)
    .checked(validateTenant)
    .doc("The tenant that owns the Quobyte volume. Absent: the registry decides."),
});
export type QuobyteVolumeSource = Static<typeof QuobyteVolumeSource>;
