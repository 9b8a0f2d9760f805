// How do I use it from Go? With client-go, as against any cluster:
//
//	cd examples/go && go mod init example && go get k8s.io/client-go@v0.21.14 && go mod tidy
//	orch run --vocabulary=kubernetes -- go run .
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	// orch run names its client configuration in KUBECONFIG.
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	configMaps := client.CoreV1().ConfigMaps("default")

	list, err := configMaps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watch, err := configMaps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer watch.Stop()

	greeting := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "greeting"},
		Data:       map[string]string{"text": "hello"},
	}
	if _, err := configMaps.Create(ctx, greeting, metav1.CreateOptions{}); err != nil {
		return err
	}
	event := <-watch.ResultChan()
	fmt.Println(event.Type, event.Object.(*corev1.ConfigMap).Name)
	return configMaps.Delete(ctx, "greeting", metav1.DeleteOptions{})
}
