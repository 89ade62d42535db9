import { isAppError } from '../../functions/core/values/app-error.ts'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { connectWith } from '../../functions/kubernetes/connect.ts'
import { parseKubeconfig } from '../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo } from '../../functions/kubernetes/stored-connection.ts'
import { CliError } from '../errors.ts'
import { type ContextEntries, flattened, kubeconfigOf } from './local-kubeconfig.ts'

/** A client of a context's API server, from this machine. The caller closes it. @throws CliError */
export const clusterClient = (context: ContextEntries): KubernetesClient => {
  try {
    const { endpoint, credential } = parseKubeconfig(kubeconfigOf(flattened(context)), {
      allowInsecure: true,
      now: new Date(),
    })
    return connectWith({ policy: localPolicy })(connectionTo(endpoint, credential))
  } catch (error) {
    throw explained(error, context.name)
  }
}

/** An error of a cluster or a kubeconfig, for people. */
export const explained = (error: unknown, context: string): unknown =>
  isAppError(error)
    ? new CliError(error.message, { remedy: `kubectl --context ${context} get namespaces`, cause: error })
    : error
