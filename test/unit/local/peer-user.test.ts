import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpServer, startHttpServer } from '../../../local/http/http-server.ts'
import { PeerUsers, type PeerUsersOptions } from '../../../local/http/peer-user.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

const open: HttpServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

const serve = async (options: PeerUsersOptions = {}) => {
  let asked = 0
  const log = keptLog()
  const server = await startHttpServer({
    port: 0,
    authorize: async () => ({}),
    handle: async () => ({ statusCode: 200, body: String(++asked) }),
    log,
    peerUsers: new PeerUsers(options),
  })
  open.push(server)
  return { url: `http://127.0.0.1:${server.port}/`, port: server.port, log, asked: () => asked }
}

const ME = process.getuid?.() ?? 0
/** Of `nobody`, on every Linux. */
const NOBODY = 65_534
const HEADING = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'

/** The address 127.0.0.1 in the tables. */
const row = (
  from: number,
  to: number,
  { uid, inode = 7, mapped = false }: { uid: number; inode?: number; mapped?: boolean },
) => {
  const end = (port: number) =>
    `${mapped ? '0000000000000000FFFF0000' : ''}0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return `   1: ${end(from)} ${end(to)} 01 00000000:00000000 00:00000000 00000000 ${uid}        0 ${inode} 1 0\n`
}
const ends = (remotePort: number, localPort = 9511) => ({
  remoteAddress: '127.0.0.1',
  remotePort,
  localAddress: '127.0.0.1',
  localPort,
})

describe('PeerUsers', () => {
  const isOwn = (tables: string, owner = 1000): boolean =>
    new PeerUsers({ owner, tables: () => [HEADING + tables] }).isOwn(ends(40_000))

  it('takes the owner and root, over IPv4 and over an IPv6 socket', () => {
    for (const mapped of [false, true]) {
      expect(isOwn(row(40_000, 9511, { uid: 1000, mapped }))).toBe(true)
      expect(isOwn(row(40_000, 9511, { uid: 0, mapped }))).toBe(true)
      expect(isOwn(row(40_000, 9511, { uid: 1001, mapped }))).toBe(false)
    }
  })

  it('refuses a connection whose other end is closed, which older kernels say is of root, and one that is in no table', () => {
    expect(isOwn(row(40_000, 9511, { uid: 0, inode: 0 }))).toBe(false)
    expect(isOwn(row(40_001, 9511, { uid: 1000 }) + row(9511, 40_000, { uid: 1000 }))).toBe(false)
  })

  it('is not led astray by the same ports at another address', () => {
    const elsewhere = row(40_000, 9511, { uid: 1000 }).replaceAll('0100007F', '0200007F')
    expect(isOwn(elsewhere + row(40_000, 9511, { uid: 1001 }))).toBe(false)
  })

  it('looks once for each connection', () => {
    let looks = 0
    const users = new PeerUsers({
      owner: 1000,
      tables: () => [`${row(40_000, 9511, { uid: 1000 })}${++looks ? '' : ''}`],
    })
    const socket = ends(40_000)
    expect([users.isOwn(socket), users.isOwn(socket), looks]).toEqual([true, true, 1])
  })
})

describe('startHttpServer with them', () => {
  it('answers whoever runs it, whose sockets it finds in the tables of this machine', async () => {
    const { url, log } = await serve()
    expect((await fetch(url)).status).toBe(200)
    expect(log.lines).toEqual([])
  })

  /** The tables of this machine, in which we are somebody else once the server has looked who it is itself. */
  const strangers = async () => {
    let isStarted = false
    const isMine = new RegExp(`(\\s)${ME}(\\s+0 [1-9]\\d* )`, 'g')
    const served = await serve({
      owner: ME,
      tables: () => {
        const tables = readFileSync('/proc/net/tcp', 'utf8')
        return [isStarted ? tables.replaceAll(isMine, `$1${ME + 1}$2`) : tables]
      },
    })
    isStarted = true
    return served
  }

  it('refuses another user, with what to do, and asks nobody', async () => {
    const { url, asked } = await strangers()
    const response = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    expect(response.status).toBe(403)
    const [{ detail }] = ((await response.json()) as { errors: [{ detail: string }] }).errors
    expect(detail).toMatch(/FEDPLANE_TOKENS.*FEDPLANE_ALLOW_OTHER_USERS=true/)
    expect(asked()).toBe(0)
  })

  it('refuses one that sends and is gone', async () => {
    const { port, url, asked } = await strangers()
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
    await once(socket.resume(), 'close')
    await fetch(url)
    expect(asked()).toBe(0)
  })

  it('lets everybody in where the system does not say who they are, and says so', async () => {
    const { url, log } = await serve({ owner: ME, tables: () => [HEADING] })
    expect((await fetch(url)).status).toBe(200)
    expect(JSON.stringify(log.lines)).toContain('does not tell which user connects')
  })

  /** As root another user is simulated by a real one; nobody else may become somebody else, and the tables above have to do. */
  it('refuses a real process of another user', async () => {
    const { url, asked } = ME === 0 ? await serve() : await strangers()
    const script = `fetch(${JSON.stringify(url)}).then((answer) => console.log(answer.status))`
    const child = spawn(process.execPath, ['-e', script], {
      cwd: '/',
      env: {},
      ...(ME === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(await text(child.stdout)).toBe('403\n')
    expect(asked()).toBe(0)
  })
})
