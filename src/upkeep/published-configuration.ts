/** What other servers need to trust the same clients and proxy: the data of a ConfigMap in the system namespace. */

export const publishedName = "extension-apiserver-authentication";

interface PublishedOptions {
  /** PEM of --client-ca-file; undefined: none. */
  readonly clientCa: string | undefined;
  /** PEM of --requestheader-client-ca-file and the other four flags; undefined: no proxy. */
  readonly frontProxy: PublishedProxy | undefined;
}

interface PublishedProxy {
  readonly ca: string;
  readonly allowedNames: readonly string[];
  readonly userHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export function publishedConfiguration({ clientCa, frontProxy }: PublishedOptions): Record<string, string> {
  return {
    ...(clientCa === undefined ? {} : { "client-ca-file": clientCa }),
    ...(frontProxy === undefined
      ? {}
      : {
          "requestheader-allowed-names": JSON.stringify(frontProxy.allowedNames),
          "requestheader-client-ca-file": frontProxy.ca,
          "requestheader-extra-headers-prefix": JSON.stringify(frontProxy.extraPrefixes),
          "requestheader-group-headers": JSON.stringify(frontProxy.groupHeaders),
          "requestheader-username-headers": JSON.stringify(frontProxy.userHeaders),
        }),
  };
}
