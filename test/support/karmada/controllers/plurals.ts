const PLURALS: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  ConfigMap: 'configmaps',
  Deployment: 'deployments',
  Namespace: 'namespaces',
  Secret: 'secrets',
  Service: 'services',
}

/** Plural of a kind that the stand-in propagates. */
export const plurals = (kind: string): string => {
  const plural = PLURALS[kind]
  if (plural === undefined) throw new Error(`The stand-in of Karmada propagates no ${kind}.`)
  return plural
}
