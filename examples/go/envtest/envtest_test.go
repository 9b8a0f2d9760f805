// What does a Go suite do with "orch envtest"? controller-runtime's envtest needs no change:
//
//	KUBEBUILDER_ASSETS=$(orch envtest) go test ./...
//
// This test needs nothing but the standard library, and does what envtest does: it makes certificates, asks for the help of etcd and kube-apiserver, starts
// them with the flags of several releases, asks for their health, works as a user of its own certificate, and stops both.
package envtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	askAgain  = 100 * time.Millisecond
	startMax  = 20 * time.Second
	stopMax   = 20 * time.Second
	namespace = "/api/v1/namespaces/default"
)

// suite is how a release of envtest, or a suite that sets all flags itself, starts the programs.
type suite struct {
	name  string
	level string // of ORCH_EMULATED_VERSION
	etcd  []string
	// What it passes beside the flags that all of them have.
	flags []string
}

var configured = []string{"--authorization-mode=RBAC", "--bind-address=127.0.0.1"}

var suites = []suite{
	{"v0.9 with a list of flags", "1.21", []string{"--listen-peer-urls=http://localhost:0"},
		[]string{"--advertise-address=127.0.0.1", "--insecure-port=0", "--authorization-mode=RBAC"}},
	{"v0.14", "1.21", []string{"--listen-peer-urls=http://127.0.0.1:0"}, configured},
	{"v0.19", "1.35", []string{"--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync=true"}, configured},
	{"v0.22 with flags of a later release", "1.35", []string{"--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync=true"},
		append([]string{"--emulation-forward-compatible=true", "--runtime-config=api/all=true"}, configured...)},
}

func TestControlPlane(t *testing.T) {
	for _, each := range suites {
		t.Run(each.name, func(t *testing.T) {
			t.Setenv("ORCH_EMULATED_VERSION", each.level)
			each.run(t)
		})
	}
}

func (s suite) run(t *testing.T) {
	folder := t.TempDir()
	authority := newAuthority(t)
	write(t, folder, "client-cert-auth-ca.crt", authority.certificate)
	serving := authority.issue(t, pkix.Name{CommonName: "localhost"}, x509.ExtKeyUsageServerAuth)
	write(t, folder, "apiserver.crt", serving.certificate)
	write(t, folder, "apiserver.key", serving.key)
	signer := authority.issue(t, pkix.Name{CommonName: "accounts"}, x509.ExtKeyUsageAny)
	write(t, folder, "sa-signer.crt", signer.certificate)
	write(t, folder, "sa-signer.key", signer.key)

	store := fmt.Sprintf("http://127.0.0.1:%d", freePort(t))
	start(t, "etcd", append(s.etcd, "--data-dir="+folder, "--advertise-client-urls="+store, "--listen-client-urls="+store)...)
	waitFor(t, http.DefaultClient, store+"/health")

	port := freePort(t)
	server := fmt.Sprintf("https://127.0.0.1:%d", port)
	stop := start(t, "kube-apiserver", append(s.flags, "--allow-privileged=true", "--cert-dir="+folder,
		"--client-ca-file="+filepath.Join(folder, "client-cert-auth-ca.crt"), "--disable-admission-plugins=ServiceAccount",
		"--etcd-servers="+store, fmt.Sprintf("--secure-port=%d", port), "--service-account-issuer="+server+"/",
		"--service-account-key-file="+filepath.Join(folder, "sa-signer.crt"),
		"--service-account-signing-key-file="+filepath.Join(folder, "sa-signer.key"), "--service-cluster-ip-range=10.0.0.0/24")...)
	anonymous := authority.client(t, nil)
	waitFor(t, anonymous, server+"/healthz")

	admin := authority.issue(t, pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}}, x509.ExtKeyUsageClientAuth)
	user := authority.client(t, &admin)
	waitFor(t, user, server+namespace)
	expect(t, user, 201, "POST", server+namespace+"/configmaps", `{"metadata":{"name":"prices"},"data":{"tea":"3"}}`)
	expect(t, anonymous, 403, "GET", server+namespace+"/configmaps/prices", "")
	if version := expect(t, user, 200, "GET", server+"/version", ""); !strings.Contains(version, `"gitVersion":"v`+s.level+`.`) {
		t.Errorf("version: %s", version)
	}
	expect(t, user, 201, "POST", server+namespace+"/serviceaccounts", `{"metadata":{"name":"robot"}}`)
	expect(t, user, 201, "POST", server+namespace+"/serviceaccounts/robot/token", `{"spec":{"audiences":["`+server+`/"]}}`)
	watch, err := user.Get(server + namespace + "/configmaps?watch=true")
	must(t, err)
	defer watch.Body.Close()
	stop()
}

// start runs a program of KUBEBUILDER_ASSETS until the returned function, or the end of the test, stops it by a signal to it alone.
func start(t *testing.T, program string, flags ...string) func() {
	path := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), program)
	help, err := exec.Command(path, "--help").CombinedOutput() // envtest looks which flags there are
	if err != nil || !strings.Contains(string(help), "--") {
		t.Fatalf("%s --help: %v %s", program, err, help)
	}
	var log bytes.Buffer
	command := exec.Command(path, flags...)
	command.Stderr = &log
	must(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	isStopped := false
	stop := func() {
		if isStopped {
			return
		}
		isStopped = true
		began := time.Now()
		must(t, command.Process.Signal(syscall.SIGTERM))
		select {
		case err := <-ended:
			t.Logf("%s stopped after %d ms", program, time.Since(began).Milliseconds())
			if err != nil {
				t.Errorf("%s: %v\n%s", program, err, log.String())
			}
		case <-time.After(stopMax):
			_ = command.Process.Kill()
			t.Errorf("%s did not stop", program)
		}
	}
	t.Cleanup(stop)
	return stop
}

func waitFor(t *testing.T, client *http.Client, url string) {
	began := time.Now()
	for {
		answer, err := client.Get(url)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == 200 {
				t.Logf("%s after %d ms", url, time.Since(began).Milliseconds())
				return
			}
		}
		if time.Since(began) > startMax {
			t.Fatalf("%s: %v", url, err)
		}
		time.Sleep(askAgain)
	}
}

// expect returns the body of the answer.
func expect(t *testing.T, client *http.Client, status int, method, url, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != status {
		t.Fatalf("%s %s was answered with %d: %s", method, url, answer.StatusCode, text)
	}
	return string(text)
}

type pair struct{ certificate, key []byte }

type authority struct {
	certificate []byte
	parsed      *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "envtest"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	must(t, err)
	parsed, err := x509.ParseCertificate(der)
	must(t, err)
	return authority{pemOf("CERTIFICATE", der), parsed, key}
}

func (a authority) issue(t *testing.T, name pkix.Name, usage x509.ExtKeyUsage) pair {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: name, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, a.parsed, key.Public(), a.key)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return pair{pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", private)}
}

// client trusts what the authority has issued; without a pair it is anonymous.
func (a authority) client(t *testing.T, user *pair) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(a.parsed)
	settings := &tls.Config{RootCAs: roots}
	if user != nil {
		own, err := tls.X509KeyPair(user.certificate, user.key)
		must(t, err)
		settings.Certificates = []tls.Certificate{own}
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: settings, ForceAttemptHTTP2: true}}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func write(t *testing.T, folder, name string, text []byte) {
	must(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
}

func freePort(t *testing.T) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
