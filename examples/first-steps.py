# How do I use it from Python? Run: orch run --vocabulary=kubernetes -- python3 examples/first-steps.py
from kubernetes import client, config, watch

config.load_kube_config()  # orch run names its client configuration in KUBECONFIG
core = client.CoreV1Api()

version = core.list_namespaced_config_map("default").metadata.resource_version
body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="greeting"), data={"text": "hello"})
core.create_namespaced_config_map("default", body)
core.delete_namespaced_config_map("greeting", "default")

changes = watch.Watch()
for event in changes.stream(core.list_namespaced_config_map, "default", resource_version=version):
    if event["object"].metadata.name != "greeting":
        continue
    print(event["type"], event["object"].metadata.name)
    if event["type"] == "DELETED":
        changes.stop()
