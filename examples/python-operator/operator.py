# An operator in Python: for each ConfigMap that is labelled copy=yes, a copy of it with capital letters.
# Run: orch run --like=kubernetes-1.37 -- python3 examples/python-operator/operator.py --demo
import sys
import threading

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()  # in a pod: config.load_incluster_config()
core = client.CoreV1Api()


def reconcile(source):
    """Makes the copy what it should be. Creating it twice, or with a conflict, is harmless."""
    owner = client.V1OwnerReference("v1", True, True, "ConfigMap", source.metadata.name, source.metadata.uid)
    meta = client.V1ObjectMeta(name=source.metadata.name + "-copy", owner_references=[owner])
    wanted = client.V1ConfigMap(metadata=meta, data={key: text.upper() for key, text in (source.data or {}).items()})
    try:
        core.create_namespaced_config_map(source.metadata.namespace, wanted)
    except ApiException as error:
        if error.status != 409:
            raise
        core.replace_namespaced_config_map(meta.name, source.metadata.namespace, wanted)


def run(stop):
    """Lists, follows the changes from there, and lists again when the watch is too old."""
    while not stop.is_set():
        found = core.list_config_map_for_all_namespaces(label_selector="copy=yes")
        for each in found.items:
            reconcile(each)
        changes = watch.Watch()
        try:
            for event in changes.stream(
                core.list_config_map_for_all_namespaces,
                label_selector="copy=yes",
                resource_version=found.metadata.resource_version,
                timeout_seconds=5,
            ):
                if event["type"] in ("ADDED", "MODIFIED"):
                    reconcile(event["object"])
        except ApiException as error:
            if error.status != 410:
                raise


def demo():
    """Shows the operator at work, from a thread of this program."""
    stop = threading.Event()
    operator = threading.Thread(target=run, args=[stop])
    operator.start()
    copied = watch.Watch()
    meta = client.V1ObjectMeta(name="greeting", labels={"copy": "yes"})
    core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=meta, data={"text": "hello"}))
    for event in copied.stream(core.list_namespaced_config_map, "default", field_selector="metadata.name=greeting-copy"):
        print(event["type"], event["object"].data["text"], flush=True)
        if event["object"].data["text"] == "GOODBYE":
            copied.stop()
        else:
            core.patch_namespaced_config_map("greeting", "default", {"data": {"text": "goodbye"}})
    stop.set()
    operator.join()


if "--demo" in sys.argv:
    demo()
else:
    run(threading.Event())
