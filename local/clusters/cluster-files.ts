import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeKubeconfig } from '../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { type Authority, newAuthority, newKeyPair } from '../../simulated-kubernetes/pki.ts'

/** Files that the programs of one cluster read. */
export type ClusterFiles = {
  folder: string
  caPath: string
  certificatePath: string
  keyPath: string
  accountKeyPath: string
  accountPublicKeyPath: string
  /** Kubeconfig of an admin with a client certificate, as kubeadm, kind and k3d write it. */
  kubeconfigFor(server: string): string
}

/** Who signs the certificates of a cluster. */
export type ClusterAuthority = Pick<Authority, 'certificatePem' | 'issue'>

/** Makes keys and certificates of a cluster on 127.0.0.1 in its folder (0700, files 0600). `given`: who signs; default a new authority. */
export const makeClusterFiles = async (
  folder: string,
  name: string,
  given?: ClusterAuthority,
): Promise<ClusterFiles> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const authority = given ?? (await newAuthority(`fedplane ${name} CA`))
  const [server, admin, account] = await Promise.all([
    authority.issue({
      commonName: 'kube-apiserver',
      dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
      ipAddresses: ['127.0.0.1', '10.96.0.1'],
    }),
    authority.issue({ commonName: `${name}-admin`, organization: 'system:masters' }),
    newKeyPair(),
  ])
  const write = async (file: string, content: string): Promise<string> => {
    const path = join(folder, file)
    await writeFile(path, content, { mode: 0o600 })
    return path
  }
  return {
    folder,
    caPath: await write('ca.crt', authority.certificatePem),
    certificatePath: await write('apiserver.crt', server.certificatePem),
    keyPath: await write('apiserver.key', server.keyPem),
    accountKeyPath: await write('sa.key', account.privatePem),
    accountPublicKeyPath: await write('sa.pub', account.publicPem),
    kubeconfigFor: (address) =>
      writeKubeconfig({
        name,
        user: `${name}-admin`,
        server: address,
        caPem: authority.certificatePem,
        credential: admin,
      }),
  }
}
