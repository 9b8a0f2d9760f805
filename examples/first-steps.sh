#!/bin/sh
# How do I use it from a shell? Run: orch run -- sh examples/first-steps.sh
# The same with kubectl: orch run --vocabulary=kubernetes -- env CTL=kubectl sh examples/first-steps.sh
set -eu
ctl=${CTL:-ctl}

$ctl create configmap greeting --from-literal=text=hello
$ctl patch configmap greeting --type=merge -p '{"data": {"text": "good morning"}}'
$ctl get configmap greeting -o jsonpath='{.data.text}'
echo
$ctl delete configmap greeting
