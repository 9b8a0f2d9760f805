/** Every command of `orch`, in the order of its help. The code of a command is loaded when it is called. */

import type { FlagHelp } from "../../base/flags/help.ts";
import { absentControllers } from "../../controllers/choose.ts";
import { apiserverFlagGroups, apiserverFlags } from "../flags/apiserver-flags.ts";
import { backupFlags, checkFlags, migrateFlags, reencryptFlags, restoreFlags } from "../flags/backup-flags.ts";
import { controllerManagerHelp } from "../flags/controller-manager-flags.ts";
import { doctorFlags } from "../flags/doctor-flags.ts";
import { envtestFlags } from "../flags/envtest-flags.ts";
import { describeGates } from "../flags/gate-list.ts";
import { nodesHelp, schedulerHelp } from "../flags/simulation-flags.ts";
import { completionFlags, folderFlags, hostFlags, runFlags, userFlags } from "../flags/small-commands.ts";
import { upHelp } from "../flags/up-flags.ts";
import { apiRelease } from "../version.ts";

export interface ProgramCommand {
  readonly name: string;
  /** What follows the name: "NAME [flags]". */
  readonly synopsis: string;
  /** For the list of commands. */
  readonly summary: string;
  /** One more sentence for its own help. */
  readonly note?: string;
  readonly help: FlagHelp;
  run(args: readonly string[]): Promise<void>;
}

export const commands: readonly ProgramCommand[] = [
  {
    name: "up",
    synopsis: "[flags]",
    summary: "start a server for yourself: own certificates, own folder, loopback only",
    note: "The flags are those of apiserver and of the controller manager, with safer defaults.",
    help: upHelp,
    run: async (args) => (await import("./up.ts")).runUp(args),
  },
  {
    name: "user",
    synopsis: "NAME [flags]",
    summary: 'make a client configuration for one more person of "orch up"',
    help: { flags: userFlags, first: [] },
    run: async (args) => (await import("./user.ts")).runUser(args),
  },
  {
    name: "run",
    synopsis: "[flags] -- COMMAND",
    summary: "run a command with a throw-away server, and exit with its code",
    note: "KUBECONFIG and ORCHCONFIG name its client configuration, ORCH_SERVER its URL, ORCH_FORKS that of its copies (--isolated).",
    help: { flags: runFlags, first: [] },
    run: async (args) => (await import("./run.ts")).runCommand(args),
  },
  {
    name: "envtest",
    synopsis: "[flags]",
    summary: "print a folder with kube-apiserver, etcd and kubectl for suites that start them",
    note: "KUBEBUILDER_ASSETS=$(orch envtest) go test ./... runs a suite on this server.",
    help: { flags: envtestFlags, first: [] },
    run: async (args) => (await import("./envtest.ts")).runEnvtest(args),
  },
  {
    name: "host",
    synopsis: "deploy/NAME [flags] -- PROGRAM",
    summary: "run a program on this machine in place of the pods of a Deployment",
    note: "It has the Deployment's service account and variables, its Services and webhooks reach the program, and all is put back at the end.",
    help: { flags: hostFlags, first: [] },
    run: async (args) => (await import("./host.ts")).runHost(args),
  },
  {
    name: "status",
    synopsis: "[flags]",
    summary: 'say whether the server of "orch up" in a folder is ready',
    help: { flags: folderFlags, first: [] },
    run: async (args) => (await import("./background.ts")).runStatus(args),
  },
  {
    name: "stop",
    synopsis: "[flags]",
    summary: 'stop the server of "orch up" in a folder',
    help: { flags: folderFlags, first: [] },
    run: async (args) => (await import("./background.ts")).runStop(args),
  },
  {
    name: "backup",
    synopsis: "FILE [flags]",
    summary: "save everything that a server keeps, while it runs",
    note: "A running server is called with the client configuration; etcd and a folder without a server are read directly.",
    help: { flags: backupFlags, first: [] },
    run: async (args) => (await import("./backup.ts")).runBackup(args),
  },
  {
    name: "restore",
    synopsis: "FILE [flags]",
    summary: "make a new store out of a backup",
    note: "The folder or the prefix in etcd must hold nothing yet.",
    help: { flags: restoreFlags, first: [] },
    run: async (args) => (await import("./restore.ts")).runRestore(args),
  },
  {
    name: "check",
    synopsis: "[FILE] [flags]",
    summary: "check a backup, a folder without a server, etcd or PostgreSQL",
    note: "Exits with 0 if everything is intact, 1 if there is damage, 2 if nothing could be checked.",
    help: { flags: checkFlags, first: [] },
    run: async (args) => (await import("./check.ts")).runCheck(args),
  },
  {
    name: "migrate",
    synopsis: "--to=STORE [flags]",
    summary: "move all objects between the embedded store, etcd and PostgreSQL",
    note: "Stop the servers first. The former store is not changed.",
    help: { flags: migrateFlags, first: [] },
    run: async (args) => (await import("./migrate.ts")).runMigrate(args),
  },
  {
    name: "reencrypt",
    synopsis: "[flags]",
    summary: "rewrite every stored object with the first key of --encryption-provider-config",
    note: "A running server does the work itself; etcd and a folder without a server are rewritten directly. Exits with 1 if an object failed.",
    help: { flags: reencryptFlags, first: [] },
    run: async (args) => (await import("./reencrypt.ts")).runReencrypt(args),
  },
  {
    name: "doctor",
    synopsis: "[flags]",
    summary: "look for what keeps a server from working, and say what to do",
    note: "Takes the flags of the server. Exits with 0 when all is well, 1 with warnings, 2 with errors.",
    help: { flags: doctorFlags, first: ["data-dir", "output", "secure-port", "tls-cert-file", "kvstore-servers"] },
    run: async (args) => (await import("./doctor.ts")).runDoctor(args),
  },
  {
    name: "apiserver",
    synopsis: "[flags]",
    summary: `start the API server alone, with the flags of ${apiRelease.text}`,
    help: {
      flags: apiserverFlags,
      first: ["data-dir", "secure-port", "bind-address", "client-ca-file", "authorization-mode", "store", "like", "v"],
      groups: apiserverFlagGroups,
      more: describeGates,
    },
    run: async (args) => (await import("./apiserver.ts")).runApiserver(args),
  },
  {
    name: "controller-manager",
    synopsis: "[flags]",
    summary: "run the controllers alone, against any server of this API",
    note: `Not there: ${Object.entries(absentControllers)
      .map(([name, reason]) => `${name} (${reason})`)
      .join(", ")}.`,
    help: controllerManagerHelp,
    run: async (args) => (await import("./controller-manager.ts")).runControllerManager(args),
  },
  {
    name: "scheduler",
    synopsis: "[flags]",
    summary: "bind pods to nodes, against any server of this API",
    help: schedulerHelp,
    run: async (args) => (await import("./scheduler.ts")).runScheduler(args),
  },
  {
    name: "nodes",
    synopsis: "[flags]",
    summary: "simulate nodes that run pods without containers, against any server of this API",
    note: "Logs, commands, ports and metrics of their pods need nodes in the process of the server: orch up --nodes=N.",
    help: nodesHelp,
    run: async (args) => (await import("./nodes.ts")).runNodes(args),
  },
  {
    name: "completion",
    synopsis: "[SHELL] [flags]",
    summary: "print code that lets a shell complete commands and flags: bash, zsh, fish or powershell",
    note: "orch completion --install puts it where your shell looks for it; ctl has the same command.",
    help: { flags: completionFlags, first: [] },
    run: async (args) => (await import("./completion.ts")).runCompletion(args),
  },
];
