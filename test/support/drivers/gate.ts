import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A way to a server on this machine that can be shut and opened again, as if the server stopped and came back. */
export type Gate = {
  /** `https://127.0.0.1:<port>`. */
  server: string
  shut(): Promise<void>
  open(): Promise<void>
}

const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

/** Opens a gate to a port. Whoever opened it shuts it in the end. */
export const openGate = async (target: string): Promise<Gate> => {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    // Each end falls with the other, and says nothing of it: a reset is what the test asked for.
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const start = async (port: number): Promise<[Server, number]> => {
    const server = createServer((incoming) => {
      const outgoing = keep(connect(Number(new URL(target).port), '127.0.0.1'))
      keep(incoming).pipe(outgoing).pipe(incoming)
      incoming.on('close', () => outgoing.destroy())
      outgoing.on('close', () => incoming.destroy())
    })
    return [server, await listening(server, port)]
  }
  let [server, port] = await start(0)
  return {
    server: `https://127.0.0.1:${port}`,
    shut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    open: async () => {
      ;[server, port] = await start(port)
    },
  }
}
