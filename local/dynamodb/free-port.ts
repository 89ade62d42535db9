import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

const listenOnce = async (port: number): Promise<number> => {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return actual
}

/** A loopback port that nobody listened on a moment ago. */
export const freePort = (): Promise<number> => listenOnce(0)

/** True when nobody listens on the loopback port, and we may. */
export const isPortFree = (port: number): Promise<boolean> =>
  listenOnce(port).then(
    () => true,
    () => false,
  )
