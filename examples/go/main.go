// How do I use it from Go? With client-go as against any cluster: clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")).
// This program needs nothing but the standard library, and shows what client-go does:
//
//	orch run -- go run examples/go/main.go
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

// The part of a client configuration that "orch run" and "orch user" write. They write it as JSON, which is YAML as well.
type clientConfig struct {
	Clusters []struct {
		Cluster struct {
			Server string `json:"server"`
			CA     []byte `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		User struct {
			Certificate []byte `json:"client-certificate-data"`
			Key         []byte `json:"client-key-data"`
			Token       string `json:"token"`
		} `json:"user"`
	} `json:"users"`
}

type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name            string `json:"name,omitempty"`
		ResourceVersion string `json:"resourceVersion,omitempty"`
	} `json:"metadata"`
	Data map[string]string `json:"data,omitempty"`
}

type event struct {
	Type   string `json:"type"`
	Object object `json:"object"`
}

const configMaps = "/api/v1/namespaces/default/configmaps"

type client struct {
	http   *http.Client
	server string
	token  string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	api, err := newClient(os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	var list object
	if err := api.do("GET", configMaps, nil, &list); err != nil {
		return err
	}
	changes, err := api.send("GET", configMaps+"?watch=true&resourceVersion="+list.Metadata.ResourceVersion, nil)
	if err != nil {
		return err
	}
	defer changes.Close()
	events := json.NewDecoder(changes)

	greeting := object{Kind: "ConfigMap", Data: map[string]string{"text": "hello"}}
	greeting.Metadata.Name = "greeting"
	if err := api.do("POST", configMaps, greeting, nil); err != nil {
		return err
	}
	if err := api.do("DELETE", configMaps+"/greeting", nil, nil); err != nil {
		return err
	}
	for next := (event{}); next.Type != "DELETED"; {
		next = event{}
		if err := events.Decode(&next); err != nil {
			return err
		}
		fmt.Println(next.Type, next.Object.Metadata.Name)
	}
	return nil
}

func newClient(path string) (*client, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var config clientConfig
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(cluster.CA)
	secure := &tls.Config{RootCAs: trusted}
	if len(user.Certificate) > 0 {
		pair, err := tls.X509KeyPair(user.Certificate, user.Key)
		if err != nil {
			return nil, err
		}
		secure.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: secure, ForceAttemptHTTP2: true}
	return &client{&http.Client{Transport: transport}, cluster.Server, user.Token}, nil
}

// do sends an object, if there is one, and reads the answer into result, if there is one.
func (api *client) do(method, path string, body, result any) error {
	answer, err := api.send(method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if result == nil {
		return nil
	}
	return json.NewDecoder(answer).Decode(result)
}

func (api *client) send(method, path string, body any) (io.ReadCloser, error) {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequest(method, api.server+path, &text)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if api.token != "" {
		request.Header.Set("Authorization", "Bearer "+api.token)
	}
	answer, err := api.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		problem, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		return nil, fmt.Errorf("%s %s: %s", method, path, problem)
	}
	return answer.Body, nil
}
