#!/bin/sh
# A platform with tenants: each team has a namespace with an owner, a quota, defaults, and rules that a role cannot lift.
set -eu
ctl=${CTL:-ctl}

for team in red blue; do
  $ctl create namespace "team-$team"
  $ctl label namespace "team-$team" team=$team
  $ctl -n "team-$team" create quota size --hard=pods=2,configmaps=5
  $ctl -n "team-$team" create rolebinding owner --clusterrole=edit --group="$team"
done

# What holds for all teams, whatever their owners may do: no object of a tenant is called "admin".
$ctl apply -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: tenants}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.metadata.name != 'admin'", message: a tenant has no admin}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: tenants}
spec:
  policyName: tenants
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}}
END

as_red="$ctl --as=rosa --as-group=red"
$as_red -n team-red create configmap prices --from-literal=tea=3
$as_red -n team-blue get configmaps || echo "rosa does not see team-blue"
until $as_red -n team-red create configmap admin --dry-run=server 2>&1 | grep 'a tenant has no admin'; do sleep 0.2; done
for name in one two three; do
  $as_red -n team-red run $name --image=any || echo "team-red has two pods at most"
done
$ctl auth who-can create pods -n team-red
