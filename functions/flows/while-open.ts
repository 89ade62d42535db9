import type { KubernetesClient } from '../kubernetes/client.ts'
import type { StepPorts } from './step.ts'

type Demand = () => Promise<unknown>

const after =
  <A extends unknown[], T>(demand: Demand, call: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    await demand()
    return call(...args)
  }

/** A client that asks before each call that may change something; reads go on. */
export const guarded = (client: KubernetesClient, demand: Demand): KubernetesClient => ({
  get: (resource, name) => client.get(resource, name),
  list: (resource, options) => client.list(resource, options),
  create: after(demand, client.create.bind(client)),
  apply: after(demand, client.apply.bind(client)),
  patch: after(demand, client.patch.bind(client)),
  delete: after(demand, client.delete.bind(client)),
  post: after(demand, client.post.bind(client)),
  put: after(demand, client.put.bind(client)),
  raw: async (path, body) => {
    if (body === undefined) return client.raw(path)
    await demand()
    return client.raw(path, body)
  },
  version: () => client.version(),
  reach: () => client.reach(),
  forward: (pod) => client.forward(pod),
  close: () => client.close(),
})

/** One question at a time: calls that begin meanwhile take its answer. */
const shared = (ask: Demand): Demand => {
  let asking: Promise<unknown> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}

/**
 * Ports whose clients change a cluster only while the attempt is the one that runs on its entity, as `demand` asks. A state machine that is stopped does not stop
 * the function that works for it (AWS lets it run to its end), so what is under way may meet the operation that took over: it writes nothing more
 * then. What stays is the one request that was on its way. The clients' calls throw OperationSuperseded.
 */
export const whileOpen = (ports: StepPorts, demand: Demand): StepPorts => {
  const ask = shared(demand)
  return { ...ports, connect: (connection, limits) => guarded(ports.connect(connection, limits), ask) }
}
