import type { ClusterDriver } from '../../../contract/cluster-driver.ts'
import { observeRegistered } from '../../../support/registered/observe.ts'
import { createPhases, credentialPhases } from '../../../support/registered/phases.ts'
import type { Way } from '../../../support/registered/way.ts'
import { connectionOf } from './connection.ts'
import { externalV1Description } from './description.ts'

const way: Way = {
  connection: connectionOf,
  grantAdvice: 'Grant them, or send a kubeconfig of another account.',
  isOurFault: () => false,
}

/** Clusters that somebody else made: registered with a kubeconfig, watched, forgotten. Nothing in them is changed. */
export const externalV1: ClusterDriver = {
  ...externalV1Description,
  phases: { create: createPhases(way), update: { credential: credentialPhases(way) }, delete: [] },
  connection: connectionOf,
  observe: (context) => observeRegistered(way, context),
}
