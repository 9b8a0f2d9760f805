#!/bin/sh
# A cluster of three simulated nodes in which load makes an autoscaler add pods.
set -eu
ctl=${CTL:-ctl}

$ctl create deployment web --image=any --replicas=2
$ctl set resources deployment web --requests=cpu=200m
$ctl rollout status deployment/web
$ctl autoscale deployment web --min=2 --max=6 --cpu-percent=50

# What each pod uses, as a share of its request.
$ctl annotate deployment web simulation.orch.io/cpu-usage=90%
$ctl wait --for=jsonpath='{.spec.replicas}'=4 deployment/web --timeout=180s
$ctl rollout status deployment/web
$ctl get hpa web
