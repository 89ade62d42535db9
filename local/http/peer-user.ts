import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { endianness } from 'node:os'

/** Both ends of a connection, as we see them. */
export type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

/** Linux's tables of TCP sockets, which say whose each is. A client may reach an IPv4 address through an IPv6 socket. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/** One after the other, since most connections are in the first: the kernel writes a table anew for each reader, milliseconds on a busy machine. */
function* readTables(): Generator<string> {
  for (const file of TABLES) if (existsSync(file)) yield readFileSync(file, 'utf8')
}

/** Checks the table, which may miss a row while others come and go. */
const LOOKS = 3
const ROOT = 0

const hex = (number: number, digits: number): string => number.toString(16).toUpperCase().padStart(digits, '0')

/** `0100007F:2537`: an end as the tables write it, whose addresses have the byte order of the machine. */
const endOf = (address = '', port = 0): string => {
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2))
  return `${(endianness() === 'LE' ? bytes.toReversed() : bytes).join('')}:${hex(port, 4)}`
}

/** An IPv4 address in the table of IPv6. */
const MAPPED = '0000000000000000FFFF0000'
const isAt = (end: string, row: string): boolean => row === end || row === `${MAPPED}${end}`

/**
 * The user whose socket is at the other end; undefined when no table has it. A socket that its process has closed has the inode 0, and older kernels say
 * root of it, so that it counts as nobody's.
 */
const userIn = (table: string, ends: Ends): number | undefined => {
  const [client, server] = [endOf(ends.remoteAddress, ends.remotePort), endOf(ends.localAddress, ends.localPort)]
  for (const line of table.split('\n')) {
    if (!line.includes(client)) continue
    const [, local = '', remote = '', , , , , uid, , inode = '0'] = line.trim().split(/\s+/)
    if (isAt(client, local) && isAt(server, remote) && inode !== '0') return Number(uid)
  }
  return undefined
}

export type PeerUsersOptions = {
  /** Default: who runs this process; undefined where there are no users. */
  owner?: number | undefined
  /** Texts of the tables. Default: Linux's. */
  tables?: () => Iterable<string>
}

/** Who connects from this machine, where the system says it: on Linux. */
export class PeerUsers {
  readonly #owner: number | undefined
  readonly #tables: () => Iterable<string>
  /** By connection: the user of one doesn't change. */
  readonly #known = new WeakMap<object, boolean>()
  #works = true

  constructor({ owner = process.getuid?.(), tables = readTables }: PeerUsersOptions = {}) {
    this.#owner = owner
    this.#tables = tables
  }

  #userOf(ends: Ends): number | undefined {
    for (let look = 0; look < LOOKS; look++) {
      for (const table of this.#tables()) {
        const user = userIn(table, ends)
        if (user !== undefined) return user
      }
    }
    return undefined
  }

  /** True for connections of whoever runs this process, and of root; for all where the system doesn't say whose they are. */
  isOwn(socket: Ends): boolean {
    if (!this.#works) return true
    const known = this.#known.get(socket)
    if (known !== undefined) return known
    const user = this.#userOf(socket)
    const isOwn = user !== undefined && (user === this.#owner || user === ROOT)
    this.#known.set(socket, isOwn)
    return isOwn
  }

  /**
   * Connects to a port of ours and looks who we are: where that is not found (no Linux, or a sandbox with tables of its own), `isOwn` is true of all from
   * then on. Until then everybody is looked up.
   *
   * @returns whether connections are distinguished
   */
  async probe(port: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      const { remoteAddress, remotePort, localAddress, localPort } = socket
      const asSeenThere = {
        remoteAddress: localAddress,
        remotePort: localPort,
        localAddress: remoteAddress,
        localPort: remotePort,
      }
      const user = this.#userOf(asSeenThere as Ends)
      this.#works = user !== undefined && user === this.#owner
    } finally {
      socket.destroy()
    }
    return this.#works
  }
}
