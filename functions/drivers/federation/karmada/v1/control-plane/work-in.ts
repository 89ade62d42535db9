import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ApiUnavailable } from '../../../../../kubernetes/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { Pending } from '../../../../support/step.ts'
import { withControlPlane } from './open.ts'

/**
 * `withControlPlane` for work that can wait: while a part of the control plane starts again, the webhook above all, its API server answers 500. That
 * is nobody else's fault, and over in seconds, or when the step's deadline passes.
 *
 * @throws Pending naming the control plane, as `openControlPlane`, and what `use` throws
 */
export const workInControlPlane = <T>(
  context: FederationContext,
  use: (client: KubernetesClient) => Promise<T>,
): Promise<T> =>
  withControlPlane(context, async (client) => {
    try {
      return await use(client)
    } catch (error) {
      if (!(error instanceof ApiUnavailable)) throw error
      throw new Pending(
        `the control plane of ${context.federation.name} to work again: ${withoutFullStop(error.message)}`,
      )
    }
  })
