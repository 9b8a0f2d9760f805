#!/bin/sh
# Registers webhook.mjs and shows what it refuses and what it adds.
set -eu
ctl=${CTL:-ctl}
port=${PORT:-8552}
here=$(dirname -- "$0")
folder=$(mktemp -d)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=webhook \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$folder/key" -out "$folder/crt" 2> "$folder/log"
node "$here/webhook.mjs" "$folder/crt" "$folder/key" "$port" & webhook=$!
trap 'kill $webhook; rm -r "$folder"' EXIT

$ctl apply -f - <<END
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: owners}
webhooks:
  - name: owners.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}
    clientConfig:
      url: https://127.0.0.1:$port/
      caBundle: $(base64 < "$folder/crt" | tr -d '\n')
END
until $ctl create configmap prices 2>&1 | grep 'name an owner'; do $ctl delete configmap prices --ignore-not-found; sleep 0.2; done
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: prices, annotations: {owner: rosa}}\n' | $ctl create -f -
$ctl get configmap prices -L owner
