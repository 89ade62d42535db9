import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What Linux calls the state of a socket that listens. */
const LISTEN = '0A'
/** A flag of Unix sockets that listen. */
const ACCEPTS = 0x10000

type Socket = { inode: string; address: string }

const tcpSockets = (file: string): Socket[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      return state === LISTEN ? [{ inode, address: `port ${Number.parseInt(local.split(':')[1] ?? '', 16)}` }] : []
    })

const unixSockets = (): Socket[] =>
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, , , flags = '0', , , inode = '', path = 'no name'] = line.trim().split(/\s+/)
      return (Number.parseInt(flags, 16) & ACCEPTS) === 0 ? [] : [{ inode, address: `socket ${path}` }]
    })

const inodesOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? []
    } catch {
      // Closed meanwhile.
      return []
    }
  })

/** Where processes listen, whether on a port or a Unix socket: `port 9511`. Linux only. */
export const listeningOf = (pids: readonly number[]): string[] => {
  const inodes = new Set(pids.flatMap(inodesOf))
  const sockets = [...tcpSockets('/proc/net/tcp'), ...tcpSockets('/proc/net/tcp6'), ...unixSockets()]
  return sockets.filter(({ inode }) => inodes.has(inode)).map(({ address }) => address)
}
