// A client of today: it leads by a Lease, follows config maps with an informer, and applies what it sees. One question a line: the
// name of a config map to wait for; one answer a line: its data, as the informer has it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type answer struct {
	Leader  bool              `json:"leader"`
	Data    map[string]string `json:"data"`
	Manager string            `json:"manager"`
	Problem string            `json:"problem,omitempty"`
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client := kubernetes.NewForConfigOrDie(config)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	maps := factory.Core().V1().ConfigMaps()
	maps.Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	leads := make(chan struct{})
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "client"},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "client-1"},
	}
	go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true,
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leads) },
			OnStoppedLeading: func() {},
		},
	})
	<-leads

	out := json.NewEncoder(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var name string
		if err := json.Unmarshal(in.Bytes(), &name); err != nil {
			panic(err)
		}
		out.Encode(answered(ctx, client, name, func() (*corev1.ConfigMap, error) {
			return maps.Lister().ConfigMaps("default").Get(name)
		}))
	}
}

// Applies a field to the object, and waits until the informer shows it beside what others wrote.
func answered(ctx context.Context, client kubernetes.Interface, name string, get func() (*corev1.ConfigMap, error)) answer {
	applied := applycorev1.ConfigMap(name, "default").WithData(map[string]string{"seen": "yes"})
	options := metav1.ApplyOptions{FieldManager: "client"}
	if _, err := client.CoreV1().ConfigMaps("default").Apply(ctx, applied, options); err != nil {
		return answer{Problem: err.Error()}
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		found, err := get()
		if err != nil || found.Data["seen"] != "yes" {
			continue
		}
		for _, entry := range found.ManagedFields {
			if entry.Operation == metav1.ManagedFieldsOperationApply {
				return answer{Leader: true, Data: found.Data, Manager: entry.Manager}
			}
		}
	}
	return answer{Problem: "the informer did not show it"}
}
