import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Provider } from './provider.ts'

/** As the provider makes it: RSA 4096, SHA-512, CN admin, O system:masters, OU terraform. Its key is nobody's. */
const CSR = readFileSync(path.join(import.meta.dirname, '../../contract/cases/signing-requests/terraform.pem'), 'utf8')

type Attributes = Readonly<Record<string, unknown>>

const isEqual = (what: string, got: unknown, wanted: unknown): void => {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`${what} is ${JSON.stringify(got)}, and ${JSON.stringify(wanted)} was wanted`)
  }
}

const replace = (attribute: string, value: unknown) => ({ op: 'replace', path: `/${attribute}`, value })

/** `openstack_containerinfra_clustertemplate_v1`. */
export const clusterTemplates = (provider: Provider) => ({
  create: async (attributes: Attributes): Promise<string> => {
    const flags = {
      floating_ip_enabled: false,
      master_lb_enabled: false,
      public: false,
      registry_enabled: false,
      tls_disabled: false,
      hidden: false,
    }
    const body = { coe: 'kubernetes', ...flags, ...attributes }
    const { uuid, links } = await provider.call('POST', '/v1/clustertemplates', [201], { body })
    isEqual('links of the template', Array.isArray(links), true)
    await provider.call('GET', `/v1/clustertemplates/${uuid}`, [200])
    return uuid
  },
  /** One operation for each attribute; numbers and texts as they are, labels as a Python literal. */
  rename: async (id: string, name: string): Promise<void> => {
    await provider.call('PATCH', `/v1/clustertemplates/${id}`, [200, 202], { body: [replace('name', name)] })
    const shown = await provider.call('GET', `/v1/clustertemplates/${id}`, [200])
    isEqual('name of the template', shown.name, name)
  },
  destroy: async (id: string): Promise<void> => {
    await provider.call('DELETE', `/v1/clustertemplates/${id}`, [202, 204])
    await provider.call('GET', `/v1/clustertemplates/${id}`, [404])
  },
})

/** `openstack_containerinfra_cluster_v1`. */
export const clusters = (provider: Provider) => {
  const at = (id: string): string => `/v1/clusters/${id}`
  const updated = { target: 'UPDATE_COMPLETE', pending: 'UPDATE_IN_PROGRESS' } as const

  const workersOf = async (id: string): Promise<number> => {
    const { nodegroups } = await provider.call('GET', `${at(id)}/nodegroups`, [200], { microversion: '1.9' })
    const group = nodegroups.find(
      (one: { is_default: boolean; role: string }) => one.is_default && one.role !== 'master',
    )
    return group.node_count
  }

  /** Without a client certificate in the state: a failure of either call fails the read. */
  const readKubeconfig = async (id: string): Promise<void> => {
    const { pem: authority } = await provider.call('GET', `/v1/certificates/${id}`, [200])
    const body = { cluster_uuid: id, csr: CSR }
    const { pem } = await provider.call('POST', '/v1/certificates', [201], { body })
    const isSigned = new X509Certificate(pem).verify(new X509Certificate(authority).publicKey)
    isEqual('the certificate is of the authority', isSigned, true)
  }

  /** What the provider does after each change, and at every plan. */
  const read = async (id: string, wanted: { workers: number; template: string }) => {
    const cluster = await provider.call('GET', at(id), [200])
    for (const attribute of ['stack_id', 'api_address', 'created_at']) {
      isEqual(`type of ${attribute}`, typeof cluster[attribute], 'string')
    }
    for (const labels of ['labels', 'labels_added', 'labels_overridden', 'labels_skipped']) {
      isEqual(
        `values of ${labels}`,
        Object.values(cluster[labels]).every((value) => typeof value === 'string'),
        true,
      )
    }
    isEqual('cluster_template_id', cluster.cluster_template_id, wanted.template)
    isEqual('node count of the default workers', await workersOf(id), wanted.workers)
    return cluster
  }

  return {
    read,
    readKubeconfig,
    create: async (attributes: Attributes & { cluster_template_id: string; node_count: number }): Promise<string> => {
      const body = { name: '', create_timeout: null, ...attributes }
      const microversion = attributes.node_count === 0 ? { microversion: '1.10' } : {}
      const { uuid } = await provider.call('POST', '/v1/clusters', [202], { body, ...microversion })
      await provider.wait(at(uuid), { target: 'CREATE_COMPLETE', pending: 'CREATE_IN_PROGRESS' })
      await read(uuid, { workers: attributes.node_count, template: attributes.cluster_template_id })
      await readKubeconfig(uuid)
      return uuid
    },
    resize: async (id: string, workers: number): Promise<void> => {
      const microversion = workers === 0 ? { microversion: '1.10' } : {}
      await provider.call('PATCH', at(id), [200, 202], { body: [replace('node_count', workers)], ...microversion })
      await provider.wait(at(id), updated)
    },
    upgrade: async (id: string, template: string): Promise<void> => {
      const body = { cluster_template: template, max_batch_size: 1 }
      await provider.call('POST', `${at(id)}/actions/upgrade`, [202], { microversion: '1.8', body })
      await provider.wait(at(id), updated)
    },
    destroy: async (id: string): Promise<void> => {
      await provider.call('DELETE', at(id), [202, 204])
      await provider.wait(at(id), { target: 'DELETE_COMPLETE', pending: 'DELETE_IN_PROGRESS' })
    },
  }
}

/** `openstack_containerinfra_nodegroup_v1` of one cluster. */
export const nodeGroups = (provider: Provider, cluster: string) => {
  const COLLECTION = `/v1/clusters/${cluster}/nodegroups`
  const versionFor = (count: number): string => (count === 0 ? '1.10' : '1.9')
  return {
    create: async (name: string, attributes: Attributes & { node_count: number }): Promise<string> => {
      const microversion = versionFor(attributes.node_count)
      const body = { name, role: '', min_node_count: 0, ...attributes }
      const { uuid } = await provider.call('POST', COLLECTION, [202], { microversion, body: withoutEmpty(body) })
      const wait = { target: 'CREATE_COMPLETE', pending: 'CREATE_IN_PROGRESS' } as const
      await provider.wait(`${COLLECTION}/${uuid}`, wait, microversion)
      const shown = await provider.call('GET', `${COLLECTION}/${uuid}`, [200], { microversion: '1.9' })
      isEqual(`node_count of ${name}`, shown.node_count, attributes.node_count)
      return uuid
    },
    /** Limits without waiting for them, then the resize (magnum-rest.md 10.3). */
    change: async (id: string, wanted: { min: number; max: number; count: number }): Promise<void> => {
      const limits = [replace('min_node_count', wanted.min), replace('max_node_count', wanted.max)]
      await provider.call('PATCH', `${COLLECTION}/${id}`, [202], { microversion: '1.9', body: limits })
      const resize = { node_count: wanted.count, nodegroup: id }
      const target = `/v1/clusters/${cluster}/actions/resize`
      await provider.call('POST', target, [200, 202], { microversion: versionFor(wanted.count), body: resize })
      await provider.wait(`${COLLECTION}/${id}`, { target: 'UPDATE_COMPLETE', pending: 'UPDATE_IN_PROGRESS' }, '1.9')
      const shown = await provider.call('GET', `${COLLECTION}/${id}`, [200], { microversion: '1.9' })
      const { node_count: count, min_node_count: min, max_node_count: max } = shown
      isEqual('the node group', { min, max, count }, wanted)
    },
    destroy: async (id: string): Promise<void> => {
      await provider.call('DELETE', `${COLLECTION}/${id}`, [202, 204], { microversion: '1.9' })
      const wait = { target: 'DELETE_COMPLETE', pending: 'DELETE_IN_PROGRESS' } as const
      await provider.wait(`${COLLECTION}/${id}`, wait, '1.9')
    },
  }
}

/** gophercloud leaves empty texts out (`omitempty`). */
const withoutEmpty = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== ''))
