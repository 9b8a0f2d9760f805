/** The context of one run of a command: its flags and arguments, its output, and the server once it is needed. */

import { FlagError, type Flags } from "../base/flags/flag.ts";
import type { FlagUse, ParsedFlags } from "../base/flags/parse.ts";
import type { ResourceAddress, ResourceClient } from "../client/contract.ts";
import type { Discovery } from "../client/discovery/discovery.ts";
import { vocabularyByName } from "../vocabulary/by-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { Configuration } from "./configuration.ts";
import type { ProgramEnvironment } from "./environment.ts";
import type { CommonValues } from "./flags/declared.ts";
import type { Json } from "./json.ts";
import { CommandOutput } from "./output/command-output.ts";
import { createSession } from "./server/create-session.ts";
import type { Session } from "./server/session.ts";

interface ContextOptions {
  readonly environment: ProgramEnvironment;
  readonly parsed: Pick<ParsedFlags<Flags>, "values" | "given" | "uses" | "others" | "dashAt">;
  /** Everything after the program's name, unchanged. */
  readonly commandLine: readonly string[];
  /** Flags that the command declares itself under a name that means something else elsewhere. */
  readonly ownFlags?: ReadonlySet<string>;
  /** The words that chose the command: ["rollout", "undo"]. */
  readonly path: readonly string[];
}

/** `V`: the values of the flags that the command declares, beside those that all commands have. */
export class Context<V = {}> extends CommandOutput {
  readonly environment: ProgramEnvironment;
  readonly flags: CommonValues & V;
  /** In the order of the command line. */
  readonly flagUses: readonly FlagUse[];
  readonly args: readonly string[];
  readonly dashAt: number | undefined;
  readonly commandLine: readonly string[];
  readonly path: readonly string[];
  readonly configuration: Configuration;
  protected readonly ownFlags: ReadonlySet<string>;
  readonly #given: ReadonlySet<string>;
  #session: Session | undefined;

  constructor({ environment, parsed, commandLine, path, ownFlags = new Set() }: ContextOptions) {
    super();
    this.environment = environment;
    // The program parses the global flags and those of the command that it runs.
    this.flags = parsed.values as CommonValues & V;
    this.flagUses = parsed.uses;
    this.#given = parsed.given;
    this.args = parsed.others;
    this.dashAt = parsed.dashAt;
    this.commandLine = commandLine;
    this.path = path;
    this.ownFlags = ownFlags;
    this.configuration = new Configuration({
      environment,
      flags: this.flags,
      isSet: (name) => this.isSet(name),
      ownFlags,
      behaviour: this.behaviour,
      isEditor: path[0] === "config",
      isWriting: path[0] === "config" && /^(set|unset|use|rename)/.test(path[1] ?? ""),
      log: (place, line, level) => this.log(place, line, level),
    });
  }

  /** The same command of the user who runs it, where --as is somebody else. */
  withoutImpersonation(): Context<V> {
    if (this.flags.as === "" && this.flags["as-group"].length === 0) return this;
    return new Context<V>({
      environment: this.environment,
      parsed: {
        values: { ...this.flags, as: "", "as-group": [] } as ParsedFlags<Flags>["values"],
        given: new Set([...this.#given].filter((name) => !name.startsWith("as"))),
        uses: this.flagUses,
        others: this.args,
        dashAt: this.dashAt,
      },
      commandLine: this.commandLine,
      path: this.path,
      ownFlags: this.ownFlags,
    });
  }

  /** Whether the command line has the flag. */
  isSet(name: keyof (CommonValues & V) & string): boolean {
    return this.#given.has(name);
  }

  get program(): string {
    return this.environment.program;
  }

  get signal(): AbortSignal {
    return this.environment.signal;
  }

  /** The namespace of this request; "default" if none is set. */
  get namespace(): string {
    return this.flags.namespace || this.session.connection.access.namespace;
  }

  get session(): Session {
    this.#session ??= createSession(this);
    return this.#session;
  }

  /** The calls of one resource of the server. */
  at(resource: ResourceAddress): ResourceClient<Json> {
    return this.session.at(resource);
  }

  /** What the server serves, read once; `fresh`: not from the disk. */
  discovery(fresh = false): Promise<Discovery> {
    return this.session.discovery(fresh);
  }

  /** The vocabulary of the server. */
  async vocabulary(): Promise<Vocabulary> {
    const chosen = this.flags.vocabulary || this.behaviour.vocabularyOfServers;
    if (chosen === "") return (await this.discovery()).vocabulary;
    const known = vocabularyByName(chosen);
    if (known === undefined) throw new FlagError(`--vocabulary must be orch or kubernetes, not "${chosen}"`);
    return known;
  }

  close(): void {
    this.#session?.close();
  }
}
