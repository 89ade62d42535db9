/** What a kubeconfig that we hand out says: one cluster, one user, one context. */
export type KubeconfigParts = {
  /** Of the cluster and of the context, which is the current one. */
  name: string
  user: string
  server: string
  /** Of the context; absent: `default`. */
  namespace?: string | undefined
  /** Absent: the certificates that the machine trusts. */
  caPem?: string
  tlsServerName?: string
  /** The server's certificate is not checked. */
  isInsecure?: boolean
  credential: { token: string } | { certificatePem: string; keyPem: string }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/**
 * The text of a kubeconfig, which holds the credential. JSON is YAML. The order of its fields stays: the checksum of a control plane's Secrets is made of
 * this text, and another one starts its pods anew.
 */
export const writeKubeconfig = ({ name, user, server, namespace, credential, ...tls }: KubeconfigParts): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          'certificate-authority-data': tls.caPem === undefined ? undefined : base64(tls.caPem),
          'tls-server-name': tls.tlsServerName,
          'insecure-skip-tls-verify': tls.isInsecure,
        },
      },
    ],
    users: [
      {
        name: user,
        user:
          'token' in credential
            ? { token: credential.token }
            : {
                'client-certificate-data': base64(credential.certificatePem),
                'client-key-data': base64(credential.keyPem),
              },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, namespace } }],
    'current-context': name,
  })
