/** What runs in pods, as programs see it: logs, processes and ports. */

/** The signal ends the call, and the connection that it has opened. */
interface Ending {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which part of the log of a container. Default: all of it so far.
 * @example
 * pods.logs("web", { container: "app", tailLines: 10, follow: true, signal });
 */
export interface LogOptions extends Ending {
  /** Default: the only container of the pod, or the one that its annotation names. */
  readonly container?: string;
  /** Whether to go on with what is written later, until the container or the signal ends. Default: false. */
  readonly follow?: boolean;
  /** Whether the log of the container before its last restart is meant. Default: false. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** In the form of RFC 3339. */
  readonly sinceTime?: string;
  /** The last so many lines. */
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Whether lines begin with their time. Default: false. */
  readonly timestamps?: boolean;
}

/**
 * Lines without their ends, as they come: `for await (const line of pods.logs("web"))`.
 * @example
 * const text = await pods.logs("web").text();
 */
export interface Logs extends AsyncIterable<string> {
  /** All of it as one text. */
  text(): Promise<string>;
  /** The bytes as the server sends them. */
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/**
 * What a process reads.
 * @example
 * const stdin: Input = ["first line\n", "second line\n"];
 */
export type Input = string | Uint8Array | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Which container is joined, and what its process reads.
 * @example
 * await pods.attach("web", { container: "shell", stdin: "exit\n" });
 */
export interface AttachOptions extends Ending {
  readonly container?: string;
  /** What the process reads; its end is passed on. Default: nothing. */
  readonly stdin?: Input;
  /** Whether the process has a terminal: then all output is `stdout`. Default: false. */
  readonly tty?: boolean;
}

/**
 * Where a command runs, and what it reads.
 * @example
 * await pods.exec("web", ["sh"], { stdin: "echo hello\n", signal });
 */
export type ExecOptions = AttachOptions;

/**
 * A process in a container. Both outputs must be read, or `output` be called: the process waits while they are not.
 * @example
 * const { stdout, exitCode } = await (await pods.exec("web", ["ls"])).output();
 */
export interface RemoteProcess extends AsyncDisposable {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when the process has ended and its output was read; rejects if it could not be run or the connection broke. */
  readonly exitCode: Promise<number>;
  /** The whole output as texts, with the exit code. */
  output(): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>;
  /** Tells the process how large its terminal is. */
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
  /** Ends the connection; a server ends the process with it. */
  close(): Promise<void>;
}

/**
 * The port of this machine.
 * @example
 * await pods.portForward("web", 80, { localPort: 8080 });
 */
export interface ForwardOptions extends Ending {
  /** Default: any free port. */
  readonly localPort?: number;
  /** Default: "127.0.0.1". */
  readonly host?: string;
}

/**
 * A port of this machine whose connections lead to a port of a pod. `await using` closes it at the end of the block.
 * @example
 * await using forwarded: ForwardedPort = await pods.portForward("web", 80);
 */
export interface ForwardedPort extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Ends it with its connections. */
  close(): Promise<void>;
}

/**
 * A file or folder in a container.
 * @example
 * const logs: PodPath<string> = { pod: "shop/web", path: "/var/log" };
 */
export interface PodPath<Target> {
  readonly pod: Target;
  /** Relative to the folder in which the container begins, unless it starts with a slash. */
  readonly path: string;
}

/**
 * In which container the files are.
 * @example
 * await pods.cp("site", { pod: "web", path: "/srv" }, { container: "app", signal });
 */
export interface CopyOptions extends Ending {
  /** Default: the only container of the pod, or the one that its annotation names. */
  readonly container?: string;
}

/**
 * What became of a copy.
 * @example
 * const { skipped }: Copied = await pods.cp({ pod: "web", path: "/data" }, "data");
 */
export interface Copied {
  /** One sentence for each file that was left out: links from a container, and what is neither a file nor a folder. */
  readonly skipped: readonly string[];
}

/**
 * The calls of pods beside those of every resource. `Target`: which pod.
 * @example
 * for await (const line of client.of(Pod).logs("web")) console.log(line);
 */
export interface PodCalls<Target> {
  /**
   * The log of a container.
   * @example
   * for await (const line of client.of(Pod).logs("web", { follow: true, signal })) console.log(line);
   */
  logs(target: Target, options?: LogOptions): Logs;
  /**
   * Runs a command in a container. A command that fails has another exit code than 0; that it cannot be run is an error.
   * @example
   * const { stdout, exitCode } = await (await client.of(Pod).exec("web", ["ls", "/data"])).output();
   */
  exec(target: Target, command: readonly string[], options?: ExecOptions): Promise<RemoteProcess>;
  /**
   * Joins the process that a container runs.
   * @example
   * const shell = await client.of(Pod).attach("web", { stdin: "exit\n" });
   */
  attach(target: Target, options?: AttachOptions): Promise<RemoteProcess>;
  /**
   * Forwards connections of a port of this machine to one of the pod.
   * @example
   * await using forwarded = await client.of(Pod).portForward("web", 80);
   * await fetch(`http://127.0.0.1:${forwarded.port}/`);
   */
  portForward(target: Target, port: number, options?: ForwardOptions): Promise<ForwardedPort>;
  /**
   * Copies a file or folder to a container, or from one: the one of the two that is a text is a path of this machine. A copy into a
   * folder that exists keeps its name. The container needs the program tar. Nothing outside the destination is written.
   * @example
   * await client.of(Pod).cp("site", { pod: "shop/web", path: "/srv" });
   * await client.of(Pod).cp({ pod: "shop/web", path: "/var/log/app.log" }, "app.log");
   */
  cp(source: string, destination: PodPath<Target>, options?: CopyOptions): Promise<Copied>;
  cp(source: PodPath<Target>, destination: string, options?: CopyOptions): Promise<Copied>;
}
