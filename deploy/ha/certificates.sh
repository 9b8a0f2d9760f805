#!/bin/sh
# Makes every certificate and client configuration that the examples need: certificates.sh FOLDER NAME...
# NAMEs are what clients call the servers: host names and IP addresses. Existing files are kept, so that running it again adds what is missing.
set -eu
folder=${1:?"usage: certificates.sh FOLDER NAME..."}
shift
[ $# -gt 0 ] || { echo "usage: certificates.sh FOLDER NAME..." >&2; exit 2; }
umask 077
mkdir -p "$folder"
cd "$folder"

names=""
for name in "$@" orch orch.default orch.default.svc localhost 127.0.0.1; do
  case $name in
    *[!0-9.]*) kind=DNS ;;
    *) kind=IP ;;
  esac
  case $name in *:*) kind=IP ;; esac
  names="$names${names:+,}$kind:$name"
done

authority() { # FILE NAME
  [ -e "$1.crt" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -sha256 \
    -keyout "$1.key" -out "$1.crt" -subj "/CN=$2" -addext "keyUsage=critical,keyCertSign,cRLSign" 2>/dev/null
}
certificate() { # FILE AUTHORITY SUBJECT USAGE [NAMES]
  [ -e "$1.crt" ] && return
  {
    echo "basicConstraints=critical,CA:FALSE"
    echo "keyUsage=critical,digitalSignature"
    echo "extendedKeyUsage=$4"
    if [ -n "${5:-}" ]; then echo "subjectAltName=$5"; fi
  } > "$1.ext"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" -subj "$3" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -days 365 -sha256 \
    -extfile "$1.ext" -out "$1.crt" 2>/dev/null
  rm -f "$1.csr" "$1.ext"
}
configuration() { # USER
  [ -e "$1.conf" ] && return
  # Names of files are relative to this one, so the folder can be mounted or copied anywhere.
  cat > "$1.conf" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: orch, cluster: {server: "https://127.0.0.1:6443", certificate-authority: ca.crt}}]
users: [{name: $1, user: {client-certificate: $1.crt, client-key: $1.key}}]
contexts: [{name: orch, context: {cluster: orch, user: $1}}]
current-context: orch
YAML
}

# Clients of the API and clients of etcd have different authorities: a user's certificate must not open the store.
authority ca orch-ca
authority etcd-ca etcd-ca
certificate serving ca /CN=orch-apiserver serverAuth "$names"
certificate admin ca /O=system:masters/CN=admin clientAuth
certificate controller-manager ca /CN=system:orch-controller-manager clientAuth
certificate etcd etcd-ca /CN=etcd serverAuth,clientAuth \
  DNS:etcd,DNS:etcd1,DNS:etcd2,DNS:etcd3,DNS:localhost,IP:127.0.0.1
certificate etcd-client etcd-ca /CN=orch-apiserver clientAuth
configuration admin
configuration controller-manager
if [ ! -e service-account.key ]; then
  openssl ecparam -name prime256v1 -genkey -noout -out service-account.key
  openssl ec -in service-account.key -pubout -out service-account.pub 2>/dev/null
fi
if [ ! -e encryption.yaml ]; then
  cat > encryption.yaml <<YAML
apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - aesgcm: {keys: [{name: key1, secret: "$(openssl rand -base64 32)"}]}
      - identity: {}
YAML
fi
echo "made in $folder: $(ls | tr '\n' ' ')"
