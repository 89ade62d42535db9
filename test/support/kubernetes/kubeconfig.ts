import type { JsonObject } from '../../../functions/core/values/json.ts'

/** A kubeconfig object with one context `demo`; parts replace the inner mappings whole. */
export const kubeconfigWith = ({
  cluster,
  user,
  file,
}: {
  cluster?: JsonObject
  user?: JsonObject
  file?: JsonObject
} = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'demo', cluster: cluster ?? { server: 'https://api.example.com:6443' } }],
  users: [{ name: 'demo-admin', user: user ?? { token: 'example-token-not-a-secret-9000' } }],
  contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo-admin' } }],
  'current-context': 'demo',
  ...file,
})
