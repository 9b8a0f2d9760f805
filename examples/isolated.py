# How do I give each Python test a server of its own? Run: orch run --isolated --vocabulary=kubernetes -- python3 examples/isolated.py
import json
import unittest

from kubernetes import client, config

config.load_kube_config()  # orch run names its client configuration in KUBECONFIG
shared = client.ApiClient()


class IsolatedTest(unittest.TestCase):
    """Every test has a copy of the shared server, with its own port, and deletes it."""

    def setUp(self):
        self.fork = shared.call_api("/forks", "POST", response_type="object", _return_http_data_only=True)
        self.api = config.new_client_from_config_dict(json.loads(self.fork["configuration"]))
        self.core = client.CoreV1Api(self.api)

    def tearDown(self):
        self.api.close()
        shared.call_api(f"/forks/{self.fork['name']}", "DELETE", response_type="object")

    def make(self, name):
        self.core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name)))
        return [one.metadata.name for one in self.core.list_namespaced_config_map("default").items]

    def test_one(self):
        self.assertIn("one", self.make("one"))

    def test_two_does_not_see_one(self):
        self.assertNotIn("one", self.make("two"))


unittest.main()
