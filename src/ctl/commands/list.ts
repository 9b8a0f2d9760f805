/** Every command, in the order of the overview; the code of a command is loaded when it is used. */

import type { CommandEntry } from "../command.ts";

export const commands: readonly CommandEntry[] = [
  {
    name: "get",
    task: "look",
    summary: "Display one or many resources",
    load: async () => (await import("./get.ts")).get,
  },
  {
    name: "explain",
    task: "look",
    summary: "Documentation of resources",
    load: async () => (await import("./explain.ts")).explain,
  },
  {
    name: "api-resources",
    task: "setup",
    summary: "The resources that the server serves",
    load: async () => (await import("./api-resources.ts")).apiResources,
  },
  {
    name: "api-versions",
    task: "setup",
    summary: "The versions that the server serves",
    load: async () => (await import("./api-versions.ts")).apiVersions,
  },
  {
    name: "cluster-info",
    task: "setup",
    summary: "Where the server is",
    load: async () => (await import("./cluster-info.ts")).clusterInfo,
  },
  {
    name: "config",
    task: "setup",
    summary: "Client configuration files",
    load: async () => (await import("./config.ts")).config,
  },
  {
    name: "version",
    task: "setup",
    summary: "Versions of client and server",
    load: async () => (await import("./version.ts")).version,
  },
  {
    name: "completion",
    task: "setup",
    summary: "Completion for shells",
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "options",
    task: "setup",
    summary: "Flags of all commands",
    load: async () => (await import("./options.ts")).options,
  },
  {
    name: "__complete",
    isHidden: true,
    task: "other",
    summary: "Words that may come next",
    load: async () => (await import("./complete.ts")).complete,
  },
];
