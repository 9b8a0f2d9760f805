/** How a webhook is called and what it is called for. Both versions have the same shape, but for defaults and two fields. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, int32, list, nullable, optional, string, struct } from "../../../machinery/schema/build.ts";
import { onlyOne, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Field } from "../../../machinery/schema/schema.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { validatePath, validateUrl } from "./client-rules.ts";
import { aloneText, knownReviewVersions, reviewVersionsRule, validateResources } from "./list-rules.ts";

type Version = "v1" | "v1beta1";

const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
const timeoutSecondsMax = 30;
const timeoutText = `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`;
const portText = "port is not valid: must be between 1 and 65535, inclusive";

/** OpenAPI says since then that the lists are replaced as a whole. */
const saidSince = { from: { "1.26": { topology: "atomic" } } } as const;

/** `operationsIn` and `ruleIn` are the embedded messages that carry them. */
export const ruleFields = (operationsIn: string | undefined, ruleIn: string) => ({
  operations: elided(list(string().oneOf(operations), saidSince))
    .at(1, operationsIn)
    .required()
    .alone("*", aloneText("operations"))
    .doc("CREATE, UPDATE, DELETE, CONNECT, or * for all of them."),
  apiGroups: elided(list(string(), saidSince))
    .at(1, ruleIn)
    .required()
    .alone("*", aloneText("API groups"))
    .doc('API groups of the resources; "" is the core group, * matches all groups and must then stand alone.'),
  apiVersions: elided(list(string().required(), saidSince))
    .at(2, ruleIn)
    .required()
    .alone("*", aloneText("API versions"))
    .doc("API versions of the resources; * matches all versions and must then stand alone."),
  resources: elided(list(string(), saidSince))
    .at(3, ruleIn)
    .required()
    .checked(validateResources)
    .doc(
      "Resources such as pods, subresources such as pods/status, or patterns: * for all resources, pods/* for all subresources of pods, */scale for all scale subresources, */* for everything.",
    ),
  scope: optional(string())
    .at(4, ruleIn)
    .default("*")
    .oneOf(["*", "Cluster", "Namespaced"])
    .before("1.35", (scope) => scope.openApiEnum("none"))
    .doc("Cluster, Namespaced, or * for both. Default: *."),
});

const ruleWithOperations = (version: Version) =>
  struct(`admissionregistration.${version}.RuleWithOperations`, ruleFields(undefined, "rule"), {
    inline: { rule: 2 },
  });
export type RuleWithOperations = Static<ReturnType<typeof ruleWithOperations>>;

const serviceReference = (owner: string) =>
  struct(`${owner}.ServiceReference`, {
    // v1.21 swaps the two in the error about a missing one.
    namespace: string().at(1).required().reported("name").doc("The namespace of the service."),
    name: string().at(2).required().reported("namespace").doc("The name of the service."),
    path: optional(string()).at(3).checked(validatePath).doc("The URL path to call. Absent: /."),
    port: optional(int32())
      .at(4)
      .default(443)
      .atLeast(1, portText)
      .atMost(65535, portText)
      .doc("The port of the service, 1 to 65535. Default: 443."),
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
      .checked(validateUrl)
      .doc("The https URL to call, without user, query or fragment. Exactly one of service and url must be set."),
  });

export const reachedOneWay = (client: Field, text: string): Relation =>
  onlyOne(client, { members: ["url", "service"], exactly: text });

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

const ClientConfig = webhookClientConfig("admissionregistration.v1");
export const webhookRelations = [reachedOneWay(ClientConfig, "exactly one of url or service is required")];

/** The fields that mutating and validating webhooks share. */
export const webhookFieldsOf = <S, R>(
  version: Version,
  { failurePolicy, timeoutSeconds, matchPolicy, sideEffects, admissionReviewVersions }: Differing<S, R>,
) => ({
  name: string()
    .at(1)
    .required()
    .named("fullyQualified")
    .doc(
      "A fully qualified name, such as images.example.com, unique within the configuration; shown when the webhook refuses a request.",
    ),
  clientConfig: (version === "v1" ? ClientConfig : webhookClientConfig(`admissionregistration.${version}`))
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
    .oneOf(["Ignore", "Fail"])
    .doc(
      "What happens when the webhook cannot be called or answers wrongly: Fail refuses the request, Ignore continues. Default: Fail in v1, Ignore in v1beta1.",
    ),
  namespaceSelector: optional(LabelSelector)
    .at(5)
    .checked(validateLabelSelector)
    .default({})
    .doc(
      "Sends only requests for objects in namespaces whose labels match; namespaces are matched by their own labels, other cluster-scoped objects always match. Default: everything.",
    ),
  sideEffects,
  timeoutSeconds: optional(int32())
    .at(7)
    .default(timeoutSeconds)
    .atLeast(1, timeoutText)
    .atMost(timeoutSecondsMax, timeoutText)
    .doc("Seconds until a call counts as failed, 1 to 30. Default: 10 in v1, 30 in v1beta1."),
  admissionReviewVersions,
  matchPolicy: optional(string())
    .at(9)
    .default(matchPolicy)
    .oneOf(["Exact", "Equivalent"])
    .doc(
      "Exact: only requests in the group and version of a rule match. Equivalent: requests in another version of the same resource match too and are converted. Default: Equivalent in v1, Exact in v1beta1.",
    ),
});

export const webhookFields = webhookFieldsOf("v1", {
  failurePolicy: "Fail",
  timeoutSeconds: 10,
  matchPolicy: "Equivalent",
  sideEffects: nullable(string())
    .listed(true)
    .at(6)
    .openApiEnum(["None", "NoneOnDryRun", "Some", "Unknown"])
    .doc(sideEffectsDoc),
  admissionReviewVersions: list(string())
    .at(8)
    .required(`must specify one of ${knownReviewVersions.join(", ")}`)
    .checked(reviewVersionsRule("duplicate version"))
    .doc(reviewVersionsDoc),
});
