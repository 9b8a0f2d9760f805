/** Where a proxied request goes: an address that belongs to an object. */

export interface Backend {
  readonly scheme: "http" | "https";
  /** An IP address, or the DNS name of a node. */
  readonly host: string;
  readonly port: number;
  /** Whether the object still has this address: checked again when the connection is opened. */
  isCurrent(): boolean;
  /** The name that its certificate must have. */
  readonly serverName: string;
  /** The object says that any certificate is fine. */
  readonly anyCertificate: boolean;
  /** The agent of a node gets this server's own client certificate; a workload never does. */
  readonly isNodeAgent: boolean;
}
