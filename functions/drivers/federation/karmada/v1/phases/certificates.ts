import { Secret } from '../../../../../domain/secret.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { NotYet, step } from '../../../../support/step.ts'
import type { KarmadaOptions } from '../options.ts'
import { issuePki } from '../pki/issue-pki.ts'
import { renewAfterOf } from '../pki/lifetimes.ts'
import { PKI } from '../pki/pki.schema.ts'
import { readPki } from '../pki/read-pki.ts'
import { parseProperties } from '../schema.ts'
import { stateOf } from '../state.ts'

/** In a rotation all leaves are issued anew, once. */
const rotationStart = ({ federation: { operation } }: FederationContext): Date | undefined =>
  operation?.kind === 'rotate' ? new Date(operation.startedAt) : undefined

/**
 * Authorities, certificates and keys, for the address that the Service got. They are sealed and stored before anything of them is in the host. In an
 * update: leaves that lack a name or near their end are issued anew; in a rotation all.
 */
export const certificatesPhase = ({ leafLifetimeSeconds }: KarmadaOptions): Phase<FederationContext> => ({
  id: 'certificates',
  title: 'certificates',
  deadlineSeconds: 60,
  ensure: (context) =>
    step(async () => {
      const { endpoint, hosts = [] } = stateOf(context.federation)
      if (endpoint === undefined) throw new NotYet('the control plane to have an address')
      const known = await readPki(context)
      const pki = await issuePki(known, {
        naming: { ...parseProperties(context.federation.properties), endpoint, hosts },
        leafLifetimeSeconds,
        now: new Date(context.now()),
        issuedSince: rotationStart(context),
      })
      const renewAfter = renewAfterOf(pki)
      return pki === known ? { renewAfter } : { renewAfter, sealed: { [PKI]: new Secret(JSON.stringify(pki)) } }
    }),
  undo: async () => ({ done: true, sealed: { [PKI]: null }, renewAfter: null }),
})
