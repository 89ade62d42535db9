import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { KubeconfigRole } from '../../../functions/core/values/identity.ts'
import type { ClusterAccess } from '../../../functions/drivers/contract/cluster-access.ts'
import type { FederationDriver } from '../../../functions/drivers/contract/federation-driver.ts'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { parseKubeconfig } from '../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { CallBudget } from '../../support/drivers/call-budget.ts'
import type { FederationLab, LabCluster } from '../../support/drivers/federation-lab.ts'
import type { FederationLife } from '../../support/drivers/federation-life.ts'
import { unreachable } from '../../support/drivers/test-cluster.ts'
import { untilDone } from '../../support/drivers/until-done.ts'

type Parts = {
  life(budget?: CallBudget): FederationLife
  way(cluster: LabCluster, budget?: CallBudget): () => ClusterAccess
  lab(): FederationLab
}

/** Which documents there are, by their digests: a report shows what is not equal. */
const documentsOf = (fed: FederationLife): Record<string, string> =>
  Object.fromEntries(
    [...fed.documents].map(([name, secret]) => [name, createHash('sha256').update(secret.reveal()).digest('hex')]),
  )

/** What of `MAY_ASKED` each kubeconfig may do. */
const MAY: Readonly<Record<string, string>> = {
  'viewer of all': 'read read-elsewhere',
  'viewer of namespace': 'read',
  'editor of all': 'read read-elsewhere write write-elsewhere secrets',
  'editor of namespace': 'read write secrets',
  'admin of all': 'read read-elsewhere write write-elsewhere secrets rights',
  'admin of namespace': 'read write secrets rights',
}

/** Ends a life, and demands that nothing is left of it. */
const end = async (fed: FederationLife, lab: FederationLab, members: readonly (() => ClusterAccess)[] = []) => {
  for (const member of members) await fed.unjoin(member)
  await fed.delete()
  expect(await lab.remains(fed.federation.id)).toEqual([])
}

/** Rules about sealed documents, and about a control plane of its own: each for whatever driver has what it is about. */
export const describeControlPlane = (driver: FederationDriver, parts: Parts): void => {
  describeSealed(driver, parts)
  describeObserve(driver, parts)
  describeUse(driver, parts)
}

const describeSealed = (driver: FederationDriver, { life, way, lab }: Parts): void => {
  it('F21: documents are made once, and are in nothing that is kept in clear', async () => {
    const budget = new CallBudget()
    const fed = life(budget)
    await fed.create()
    const [documents, { renewAfter }] = [documentsOf(fed), fed.federation]
    if (renewAfter !== null) expect(renewAfter > new Date().toISOString()).toBe(true)
    budget.reset()
    await fed.create()
    expect([documentsOf(fed), fed.federation.renewAfter, budget.writes]).toEqual([documents, renewAfter, []])
    const kept = JSON.stringify(fed.federation)
    expect([...fed.documents].filter(([, secret]) => kept.includes(secret.reveal()))).toEqual([])
    await fed.undoCreate()
    expect([documentsOf(fed), fed.federation.renewAfter]).toEqual([{}, null])
    expect(await lab().remains(fed.federation.id)).toEqual([])
  })

  it('F22: what expires is renewed once in a rotation, and members stay', async () => {
    const budget = new CallBudget()
    const fed = life(budget)
    const member = way(lab().members[0])
    await fed.create()
    await fed.join(member)
    const [documents, before] = [documentsOf(fed), fed.federation.renewAfter]
    expect(driver.phases.rotate.length > 0 || before === null).toBe(true)
    if (driver.phases.rotate.length === 0) return end(fed, lab(), [member])
    await fed.rotateCertificates()
    const [renewed, after] = [documentsOf(fed), fed.federation.renewAfter]
    expect(renewed).not.toEqual(documents)
    expect(before !== null && after !== null && after >= before).toBe(true)
    budget.reset()
    await fed.rotateCertificates()
    expect([documentsOf(fed), fed.federation.renewAfter, budget.writes]).toEqual([renewed, after, []])
    fed.restRotation()
    expect(await driver.observeMember(fed.memberContext(member))).toMatchObject({ state: 'ready' })
    return end(fed, lab(), [member])
  })
}

const describeObserve = (driver: FederationDriver, { life, way, lab }: Parts): void => {
  it('F23: an observation changes nothing, names the members that it knows, and says the same while nothing changes', async () => {
    if (driver.observe === undefined) return
    const budget = new CallBudget()
    const fed = life(budget)
    const [some, second, , alone] = lab().members
    // Where there are so many, one that nobody else joins and leaves meanwhile.
    const first = alone ?? some
    await fed.create()
    await fed.join(way(first))
    budget.reset()
    const seen = await driver.observe(fed.context())
    expect([seen.fault, seen.members.get(first.cluster.id)?.state]).toEqual([null, 'ready'])
    expect(seen.members.get(second.cluster.id)?.state ?? 'absent').toBe('absent')
    expect(await driver.observe(fed.context())).toEqual(seen)
    expect(budget.writes).toEqual([])
    await fed.unjoin(way(first))
    const left = await driver.observe(fed.context())
    expect([left.fault, left.members.get(first.cluster.id)?.state ?? 'absent']).toEqual([null, 'absent'])
    await end(fed, lab())
  })

  it('F23: tells a host that can not be reached as a fault', async () => {
    if (driver.observe === undefined || !driver.capabilities.usesKubernetesApi) return
    const fed = life()
    await fed.create()
    const host = unreachable(lab().host.cluster, new ConnectFailed('The host is stopped.'))
    const seen = await driver.observe({ ...fed.context(), host }).catch((error: unknown) => error)
    expect(seen).toSatisfy((it: unknown) => it instanceof ConnectFailed || (it as { fault: unknown }).fault !== null)
    await end(fed, lab())
  })
}

const describeUse = (driver: FederationDriver, { life, way, lab }: Parts): void => {
  it('F24: a kubeconfig is for its user and for a while, and is given where the capability says so', async () => {
    expect(driver.kubeconfig !== undefined).toBe(driver.capabilities.kubeconfig)
    if (driver.kubeconfig === undefined) return
    const budget = new CallBudget()
    const fed = life(budget)
    await fed.create()
    budget.reset()
    const asked = Date.now()
    const of = await driver.kubeconfig(fed.context(), { user: 'ana', role: 'admin', seconds: 900 })
    const other = await driver.kubeconfig(fed.context(), { user: 'ben', role: 'admin', seconds: 900 })
    expect(budget.writes).toEqual([])
    expect(Date.parse(of.expiresAt)).toBeGreaterThan(asked + 800_000)
    expect(Date.parse(of.expiresAt)).toBeLessThanOrEqual(Date.now() + 900_000)
    const intake = parseKubeconfig(of.kubeconfig.reveal(), { now: new Date() })
    expect(intake.userName).toContain('ana')
    if (intake.expiresAt !== null) expect(Date.parse(intake.expiresAt)).toBeLessThanOrEqual(Date.parse(of.expiresAt))
    expect(of.kubeconfig.reveal()).not.toBe(other.kubeconfig.reveal())
    const known = await lab().whoAmI?.(of.kubeconfig.reveal())
    if (known !== undefined) expect(known).toContain('ana')
    await end(fed, lab())
  })

  const offer = driver.kubeconfigs
  const rolesOf = (fed: FederationLife) => async (role: KubeconfigRole, namespace?: string) => {
    const asked = { user: 'ana', role, seconds: 900, ...(namespace === undefined ? {} : { namespace }) }
    return (await driver.kubeconfig?.(fed.context(), asked))?.kubeconfig.reveal() ?? ''
  }

  it('F24: a kubeconfig of a role may do what the role says, where it says so, and no more', async () => {
    const offered = Object.entries(offer?.roles ?? {}) as [KubeconfigRole, string[]][]
    if (offered.length === 0) return
    const budget = new CallBudget()
    const fed = life(budget)
    await fed.create()
    budget.reset()
    const issue = rolesOf(fed)
    for (const [role, scope] of offered.flatMap(([name, scopes]) => scopes.map((one) => [name, one] as const))) {
      const namespace = scope === 'namespace' ? 'default' : undefined
      const file = await issue(role, namespace)
      expect(parseKubeconfig(file, { now: new Date() }).userName).toContain('ana')
      expect(JSON.parse(file).contexts[0].context.namespace).toBe(namespace)
      expect(await lab().may?.(file), `${role} of ${scope}`).toEqual(lab().may && MAY[`${role} of ${scope}`])
    }
    expect(budget.writes.filter((call) => !/"plural":"(?:cluster)?rolebindings"/.test(call))).toEqual([])
    budget.reset()
    await issue('viewer', 'default')
    expect(budget.writes).toEqual([])
    await end(fed, lab())
  })

  it('F24: a namespace that is not there gets nobody a kubeconfig', async () => {
    if (offer === undefined || lab().may === undefined) return
    const fed = life()
    await fed.create()
    await expect(rolesOf(fed)('viewer', 'absent')).rejects.toMatchObject({ name: 'NamespaceMissing' })
    expect(offer.namespaceFault?.('default')).toBe(undefined)
    await end(fed, lab())
  })

  it.each(['keep', 'delete'] as const)('F25: workloads are left to the choice: %s', async (choice) => {
    if (!driver.capabilities.workloads) return
    const fed = life()
    const member = way(lab().members[0])
    await fed.create()
    await fed.join(member)
    const deploy = lab().deploy
    if (deploy === undefined) throw new Error('a lab of a driver with workloads has to have `deploy`')
    const workload = await deploy(fed.memberContext(member))
    await untilDone(async () => ({ done: await workload.isThere(), waitingFor: 'the workload to arrive' }))
    await fed.unjoin(member, choice === 'delete' ? { workloads: 'delete' } : {})
    expect(await workload.isThere()).toBe(choice === 'keep')
    await workload.remove()
    await end(fed, lab())
  })

  it('F26: says what can not change, one sentence each, and nothing of what stays', async () => {
    const { properties } = life().federation
    const defaults = driver.properties.flatMap(({ key, default: value }) => (value === null ? [] : [[key, value]]))
    expect(driver.validateChange(properties, properties)).toEqual([])
    expect(driver.validateChange({}, Object.fromEntries(defaults))).toEqual([])
    expect(driver.validateChange(properties, { ...properties, 'unknown-key': 'kept' })).toEqual([])
    for (const { key } of driver.properties) {
      const faults = driver.validateChange(properties, { ...properties, [key]: 'another-value' })
      expect(faults.length, key).toBeLessThanOrEqual(1)
      for (const fault of faults) expect(fault).toMatch(new RegExp(`${key}.*\\.$`, 's'))
    }
  })
}
