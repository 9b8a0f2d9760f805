// How do I give each Go test a server of its own? With client-go: RESTClient().Post().AbsPath("/forks"), then clientcmd.RESTConfigFromKubeConfig of the
// configuration in the answer. This program needs nothing but the standard library:
//
//	orch run --isolated -- go run examples/go/isolated/main.go
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// The part of the file that KUBECONFIG names. "orch run" writes it as JSON, which is YAML as well.
type clientConfig struct {
	Clusters []struct {
		Cluster struct {
			CA []byte `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		User struct {
			Certificate []byte `json:"client-certificate-data"`
			Key         []byte `json:"client-key-data"`
		} `json:"user"`
	} `json:"users"`
}

// The answer to POST /forks.
type fork struct {
	Name        string `json:"name"`
	Server      string `json:"server"`
	CA          string `json:"certificateAuthority"`
	Certificate string `json:"clientCertificate"`
	Key         string `json:"clientKey"`
}

const configMaps = "/api/v1/namespaces/default/configmaps"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	var config clientConfig
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	user := config.Users[0].User
	shared, err := newClient(config.Clusters[0].Cluster.CA, user.Certificate, user.Key)
	if err != nil {
		return err
	}
	forks := os.Getenv("ORCH_FORKS")
	for _, name := range []string{"one", "two"} {
		var made fork
		if err := call(shared, "POST", forks, "", 201, &made); err != nil {
			return err
		}
		own, err := newClient([]byte(made.CA), []byte(made.Certificate), []byte(made.Key))
		if err != nil {
			return err
		}
		body := fmt.Sprintf(`{"metadata":{"name":%q}}`, name)
		if err := call(own, "POST", made.Server+configMaps, body, 201, nil); err != nil {
			return err
		}
		var list struct {
			Items []struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			} `json:"items"`
		}
		if err := call(own, "GET", made.Server+configMaps, "", 200, &list); err != nil {
			return err
		}
		for _, item := range list.Items {
			if !strings.HasSuffix(item.Metadata.Name, "root-ca.crt") { // a controller makes it
				fmt.Println(made.Name, "has", item.Metadata.Name)
			}
		}
		if err := call(shared, "DELETE", forks+"/"+made.Name, "", 200, nil); err != nil {
			return err
		}
	}
	return nil
}

func newClient(authority, certificate, key []byte) (*http.Client, error) {
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	settings := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: settings}}, nil
}

func call(client *http.Client, method, url, body string, status int, into any) error {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != status {
		return fmt.Errorf("%s %s: %d %s", method, url, answer.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
