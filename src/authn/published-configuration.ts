/** What other servers need to trust the same clients and proxy: the data of a ConfigMap in the system namespace. */

import type { FrontProxyOptions } from "./front-proxy.ts";

export const publishedName = "extension-apiserver-authentication";

export interface PublishedOptions {
  /** PEM of --client-ca-file; undefined: none. */
  readonly clientCa: string | undefined;
  /** PEM of --requestheader-client-ca-file and the other four flags; undefined: no proxy. */
  readonly frontProxy:
    | ({ readonly ca: string } & Pick<
        FrontProxyOptions,
        "allowedNames" | "userHeaders" | "groupHeaders" | "extraPrefixes"
      >)
    | undefined;
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
