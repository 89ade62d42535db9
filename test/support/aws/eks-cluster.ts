import type { ServerResponse } from 'node:http'
import { request } from 'node:https'
import { startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { json, makeCa, type SeenRequest, startTlsServer } from '../kubernetes/tls.ts'
import type { AwsStandIn } from './aws-stand-in.ts'

export type EksCluster = {
  server: string
  caPem: string
  /** Tokens that it was shown. */
  tokens: Set<string>
  close(): Promise<void>
}

/** An assumed role's ARN → its role's, which access entries name. */
const principalOf = (arn: string): string =>
  arn.replace(':sts:', ':iam:').replace(/:assumed-role\/([^/]+)\/.*$/, ':role/$1')

const UNAUTHORIZED = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 }

type Backend = { server: string; caPem: string; token: string }

const forward = (backend: Backend, { method, url, headers, body }: SeenRequest, response: ServerResponse): void => {
  const onward = request(`${backend.server}${url}`, {
    method,
    ca: backend.caPem,
    agent: false,
    headers: { ...headers, host: new URL(backend.server).host, authorization: `Bearer ${backend.token}` },
  })
  onward.on('error', () => response.destroy())
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  onward.end(body)
}

/**
 * A simulated Kubernetes API behind an authenticator like EKS's: it takes bearer tokens `k8s-aws-v1.…` only, looks who signed the URL in
 * them for this cluster, and lets those in that have an access entry.
 *
 * @param entries ARNs of IAM roles and users with an access entry
 */
export const startEksCluster = async (
  aws: AwsStandIn,
  { name, entries }: { name: string; entries: readonly string[] },
): Promise<EksCluster> => {
  const backend = await startSimulatedKubernetes({ nodes: 2 })
  const ca = await makeCa('EKS stand-in CA')
  const tokens = new Set<string>()
  const isKnown = (authorization = ''): boolean => {
    const [, token = '', encoded] = /^Bearer (k8s-aws-v1\.(.+))$/.exec(authorization) ?? []
    if (encoded === undefined) return false
    tokens.add(token)
    const url = new URL(Buffer.from(encoded, 'base64url').toString())
    // The authenticator asks nobody but STS.
    if (!/^https:\/\/sts\.[a-z0-9-]+\.amazonaws\.com\//.test(url.href)) return false
    const caller = aws.identify(url, name)
    return 'arn' in caller && entries.includes(principalOf(caller.arn))
  }
  const front = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (seen, response) => {
    if (isKnown(seen.headers.authorization)) forward(backend, seen, response)
    else json(response, 401, UNAUTHORIZED)
  })
  return {
    server: `https://127.0.0.1:${front.port}`,
    caPem: ca.certificatePem,
    tokens,
    close: async () => {
      await Promise.all([front.close(), backend.close()])
    },
  }
}
