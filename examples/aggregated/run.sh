#!/bin/sh
# Registers server.mjs as the group sea.example.com and asks it through the server.
set -eu
ctl=${CTL:-ctl}
port=${PORT:-8551}
here=$(dirname -- "$0")
folder=$(mktemp -d)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=tides \
  -addext subjectAltName=DNS:tides.default.svc -keyout "$folder/key" -out "$folder/crt" 2> "$folder/log"
node "$here/server.mjs" "$folder/crt" "$folder/key" "$port" & server=$!
trap 'kill $server; rm -r "$folder"' EXIT

# The service leads to this machine; in a cluster it selects pods.
$ctl create service externalname tides --external-name=127.0.0.1 --tcp="$port"
$ctl apply -f - <<END
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.sea.example.com}
spec:
  group: sea.example.com
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 15
  caBundle: $(base64 < "$folder/crt" | tr -d '\n')
  service: {namespace: default, name: tides, port: $port}
END
$ctl wait --for=condition=Available apiservice/v1.sea.example.com
$ctl get tides
$ctl get tide brest -o jsonpath='{.status.meters}'
