/** The flags of the commands that work on a store: `orch backup`, `restore`, `check`, `migrate` and `reencrypt`. */

import { bool, choice, type FlagValues, int, string, stringArray, strings } from "../../base/flags/flag.ts";

const etcdFlags = {
  "kvstore-servers": strings("URLs of etcd, if the objects are there", [], { aliases: ["etcd-servers"] }),
  "kvstore-cafile": string("the authority of etcd's certificates", "", { aliases: ["etcd-cafile"] }),
  "kvstore-certfile": string("the client certificate for etcd", "", { aliases: ["etcd-certfile"] }),
  "kvstore-keyfile": string("the key of --kvstore-certfile", "", { aliases: ["etcd-keyfile"] }),
  "kvstore-prefix": string("under which keys are kept in etcd", "/registry", { aliases: ["etcd-prefix"] }),
};

const dataDir = string("the folder of the server", ".orch");

/** How far revisions jump by default. */
const usualRevisionBump = 1_000_000_000;

const revisionBump = int(
  "how far revisions jump, beyond all that clients of the former store have seen since",
  usualRevisionBump,
);

export const backupFlags = {
  "data-dir": dataDir,
  config: string("the client configuration of a running server; default: admin.conf of the folder", "", {
    aliases: ["kubeconfig"],
  }),
  ...etcdFlags,
  overwrite: bool("replace the file if it exists"),
};

export const restoreFlags = {
  "data-dir": string("the new folder; either this or --kvstore-servers must be given"),
  ...etcdFlags,
  "revision-bump": revisionBump,
};

export const checkFlags = {
  "data-dir": dataDir,
  ...etcdFlags,
  discard: stringArray("the key of a damaged object to remove from the folder, such as /core/secrets/NAMESPACE/NAME"),
  output: choice(["text", "json"], "how to print the result", "text", { short: "o" }),
};

export const migrateFlags = {
  "data-dir": dataDir,
  ...etcdFlags,
  to: choice(["", "etcd", "embedded"], "where the objects go", ""),
  "revision-bump": revisionBump,
};

export const reencryptFlags = {
  "data-dir": dataDir,
  ...etcdFlags,
  config: string(
    "the client configuration of a running server, which does the work; default: admin.conf of the folder",
    "",
    {
      aliases: ["kubeconfig"],
    },
  ),
  "encryption-provider-config": string("the encryption configuration, if no server does the work"),
  discard: stringArray("the key of an object to remove if it cannot be read, such as /core/secrets/NAMESPACE/NAME"),
};

export type EtcdFlags = FlagValues<typeof etcdFlags>;
