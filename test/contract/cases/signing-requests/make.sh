#!/bin/sh
# Makes the certificate signing requests of this folder anew, with OpenSSL 3. Private keys are thrown away.
set -eu
cd "$(dirname "$0")"
ADMIN='/CN=admin/O=system:masters'
key=$(mktemp)
trap 'rm -f "$key"' EXIT

# request NAME SUBJECT KEY-ARGUMENTS -- REQUEST-ARGUMENTS
request() {
  name=$1 subject=$2
  shift 2
  args=''
  while [ "$1" != '--' ]; do args="$args $1"; shift; done
  shift
  # shellcheck disable=SC2086
  openssl genpkey $args -out "$key" 2>/dev/null
  openssl req -new -key "$key" -subj "$subject" "$@" -out "$name.pem" 2>/dev/null
}

for bits in 1024 2048 3072 4096; do
  request "rsa-$bits-sha256" "$ADMIN" -algorithm RSA -pkeyopt rsa_keygen_bits:$bits -- -sha256
done
request rsa-2048-sha384 "$ADMIN" -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -- -sha384
request rsa-2048-sha1 "$ADMIN" -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -- -sha1
request rsa-2048-md5 "$ADMIN" -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -- -md5
request rsa-2048-pss "$ADMIN" -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -- -sha256 -sigopt rsa_padding_mode:pss
request rsa-pss-key "$ADMIN" -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -- -sha256
# What Terraform's provider asks for (magnum-rest.md 10.3).
request terraform '/CN=admin/O=system:masters/OU=terraform' -algorithm RSA -pkeyopt rsa_keygen_bits:4096 -- -sha512

for curve in P-256 P-384 P-521 P-224 secp256k1 brainpoolP256r1; do
  request "ec-$curve" "$ADMIN" -algorithm EC -pkeyopt "ec_paramgen_curve:$curve" -- -sha256
done
request ec-P-521-sha512 "$ADMIN" -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -- -sha512
request ec-P-256-sha1 "$ADMIN" -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -- -sha1
request ec-P-256-explicit "$ADMIN" -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit -- -sha256
openssl ecparam -name prime256v1 -genkey -noout | openssl ec -conv_form compressed -out "$key" 2>/dev/null
openssl req -new -key "$key" -subj "$ADMIN" -sha256 -out ec-P-256-compressed.pem
request ed25519 "$ADMIN" -algorithm ED25519 --
request ed448 "$ADMIN" -algorithm ED448 --

request server '/CN=kube-apiserver' -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -- -sha256 \
  -addext 'subjectAltName=DNS:kubernetes.default.svc,DNS:*.example.com,IP:127.0.0.1,IP:::1,URI:spiffe://example.com/api,email:admin@example.com' \
  -addext 'extendedKeyUsage=serverAuth' -addext 'keyUsage=critical,digitalSignature,keyAgreement' \
  -addext 'subjectKeyIdentifier=00:11:22:33:44:55:66:77'
request names-only '/' -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -- -sha256 -addext 'subjectAltName=DNS:only.example.com'
request nobody '/' -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -- -sha256
request wants-authority "$ADMIN" -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -- -sha256 \
  -addext 'basicConstraints=critical,CA:TRUE,pathlen:3' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
  -addext 'extendedKeyUsage=OCSPSigning' -addext 'nameConstraints=permitted;DNS:example.com' \
  -addext 'crlDistributionPoints=URI:http://example.com/crl' -addext 'certificatePolicies=1.2.3.4' -addext 'tlsfeature=status_request'
request other-name "$ADMIN" -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -- -sha256 -addext 'subjectAltName=otherName:1.2.3.4;UTF8:x'
