/** The flags of the commands that work on a store: `orch backup`, `restore`, `check`, `migrate` and `reencrypt`. */

import { bool, choice, type FlagValues, flag, int, string, stringArray, strings } from "../../base/flags/flag.ts";
import { levels } from "../../machinery/schema/levels.ts";
import { postgresFlags } from "./postgres-flags.ts";
import { addressType } from "./store-flag.ts";

/** A store that is not a folder. */
const remoteFlags = {
  "kvstore-servers": strings("URLs of etcd, if the objects are there", [], { aliases: ["etcd-servers"] }),
  "kvstore-cafile": string("the authority of etcd's certificates", "", { aliases: ["etcd-cafile"] }),
  "kvstore-certfile": string("the client certificate for etcd", "", { aliases: ["etcd-certfile"] }),
  "kvstore-keyfile": string("the key of --kvstore-certfile", "", { aliases: ["etcd-keyfile"] }),
  "kvstore-prefix": string("under which keys are kept in etcd", "/registry", { aliases: ["etcd-prefix"] }),
  store: flag(addressType, "", "the address of PostgreSQL, if the objects are there"),
  ...postgresFlags,
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
  ...remoteFlags,
  overwrite: bool("replace the file if it exists"),
};

export const restoreFlags = {
  "data-dir": string("the new folder; either this, --kvstore-servers or --store must be given"),
  ...remoteFlags,
  "revision-bump": revisionBump,
};

export const checkFlags = {
  "data-dir": dataDir,
  ...remoteFlags,
  discard: stringArray("the key of a damaged object to remove from the folder, such as /core/secrets/NAMESPACE/NAME"),
  for: choice(["", ...levels], "also tell which objects and clients would break at this higher level", ""),
  "audit-log": stringArray("with --for: a file of an audit log in JSON, whose requests tell which clients would break"),
  metrics: stringArray("with --for: a file with the metrics of a server, for the requests it has seen"),
  output: choice(["text", "json"], "how to print the result", "text", { short: "o" }),
};

export const migrateFlags = {
  "data-dir": dataDir,
  ...remoteFlags,
  to: choice(["", "etcd", "postgres", "embedded"], "where the objects go", ""),
  "revision-bump": revisionBump,
};

export const reencryptFlags = {
  "data-dir": dataDir,
  ...remoteFlags,
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

export type RemoteFlags = FlagValues<typeof remoteFlags>;
