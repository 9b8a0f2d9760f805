/** How a webhook is called and what it is called for. Both versions have the same shape, but for defaults and two fields. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, int32, list, nullable, optional, string, struct } from "../../../machinery/schema/build.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

type Version = "v1" | "v1beta1";

const ruleWithOperations = (version: Version) =>
  struct(
    `admissionregistration.${version}.RuleWithOperations`,
    {
      operations: elided(list(string())).at(1).doc("CREATE, UPDATE, DELETE, CONNECT, or * for all of them."),
      apiGroups: elided(list(string()))
        .at(1, "rule")
        .doc('API groups of the resources; "" is the core group, * matches all groups and must then stand alone.'),
      apiVersions: elided(list(string()))
        .at(2, "rule")
        .doc("API versions of the resources; * matches all versions and must then stand alone."),
      resources: elided(list(string()))
        .at(3, "rule")
        .doc(
          "Resources such as pods, subresources such as pods/status, or patterns: * for all resources, pods/* for all subresources of pods, */scale for all scale subresources, */* for everything.",
        ),
      scope: optional(string()).at(4, "rule").default("*").doc("Cluster, Namespaced, or * for both. Default: *."),
    },
    { inline: { rule: 2 } },
  );
export type RuleWithOperations = Static<ReturnType<typeof ruleWithOperations>>;

const serviceReference = (owner: string) =>
  struct(`${owner}.ServiceReference`, {
    namespace: string().at(1).doc("The namespace of the service."),
    name: string().at(2).doc("The name of the service."),
    path: optional(string()).at(3).doc("The URL path to call. Absent: /."),
    port: optional(int32()).at(4).default(443).doc("The port of the service, 1 to 65535. Default: 443."),
  });

/** Where a webhook is called; `owner` is the group and version that declares it. */
export const webhookClientConfig = (owner: string) =>
  struct(`${owner}.WebhookClientConfig`, {
    service: optional(serviceReference(owner))
      .at(1)
      .doc(
        "The service to call, over HTTPS; its certificate must be valid for NAME.NAMESPACE.svc. Exactly one of service and url must be set.",
      ),
    caBundle: elided(bytes())
      .at(2)
      .doc(
        "PEM certificates of the authorities that may have signed the certificate of the server. Absent: the trusted roots of the API server.",
      ),
    url: optional(string())
      .at(3)
      .doc("The https URL to call, without user, query or fragment. Exactly one of service and url must be set."),
  });
export type WebhookClientConfig = Static<ReturnType<typeof webhookClientConfig>>;

/** The defaults and fields in which the versions differ. */
interface Differing<S, R> {
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  readonly matchPolicy: string;
  readonly sideEffects: S;
  readonly admissionReviewVersions: R;
}

export const sideEffectsDoc =
  "Whether a call changes anything outside the answer: None, NoneOnDryRun, and in v1beta1 also Unknown and Some. Dry-run requests that match a webhook with side effects are refused.";
export const reviewVersionsDoc =
  "Versions of AdmissionReview that the webhook understands, preferred first; the server uses the first one it knows.";

/** The fields that mutating and validating webhooks share. */
export const webhookFieldsOf = <S, R>(
  version: Version,
  { failurePolicy, timeoutSeconds, matchPolicy, sideEffects, admissionReviewVersions }: Differing<S, R>,
) => ({
  name: string()
    .at(1)
    .doc(
      "A fully qualified name, such as images.example.com, unique within the configuration; shown when the webhook refuses a request.",
    ),
  clientConfig: webhookClientConfig(`admissionregistration.${version}`)
    .at(2)
    .doc("Where the webhook is called, and which authority its certificate must come from."),
  rules: elided(list(ruleWithOperations(version)))
    .at(3)
    .doc(
      "Which operations on which resources are sent to the webhook; a request is sent if any rule matches. Webhook configurations themselves are never sent.",
    ),
  failurePolicy: optional(string())
    .at(4)
    .default(failurePolicy)
    .doc(
      "What happens when the webhook cannot be called or answers wrongly: Fail refuses the request, Ignore continues. Default: Fail in v1, Ignore in v1beta1.",
    ),
  namespaceSelector: optional(LabelSelector)
    .at(5)
    .default({})
    .doc(
      "Sends only requests for objects in namespaces whose labels match; namespaces are matched by their own labels, other cluster-scoped objects always match. Default: everything.",
    ),
  sideEffects,
  timeoutSeconds: optional(int32())
    .at(7)
    .default(timeoutSeconds)
    .doc("Seconds until a call counts as failed, 1 to 30. Default: 10 in v1, 30 in v1beta1."),
  admissionReviewVersions,
  matchPolicy: optional(string())
    .at(9)
    .default(matchPolicy)
    .doc(
      "Exact: only requests in the group and version of a rule match. Equivalent: requests in another version of the same resource match too and are converted. Default: Equivalent in v1, Exact in v1beta1.",
    ),
});

export const webhookFields = webhookFieldsOf("v1", {
  failurePolicy: "Fail",
  timeoutSeconds: 10,
  matchPolicy: "Equivalent",
  sideEffects: nullable(string()).listed(true).at(6).doc(sideEffectsDoc),
  admissionReviewVersions: list(string()).at(8).doc(reviewVersionsDoc),
});
