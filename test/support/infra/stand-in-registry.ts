import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Header } from 'tar'

/** A row of package-lock.json, as far as a stand-in has it. */
export type LockedPackage = {
  version?: string
  bin?: Record<string, string>
  os?: string | string[]
  cpu?: string | string[]
  libc?: string | string[]
}

const BLOCK = 512

const tarEntry = (path: string, text: string): Buffer => {
  const content = Buffer.from(text)
  const header = Buffer.alloc(BLOCK)
  new Header({ path: `package/${path}`, size: content.length, type: 'File', mode: 0o755 }).encode(header)
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
}

const tarball = (manifest: object, bin: Readonly<Record<string, string>>): Buffer =>
  gzipSync(
    Buffer.concat([
      tarEntry('package.json', JSON.stringify(manifest)),
      ...Object.values(bin).map((file) => tarEntry(file, '#!/bin/sh\n')),
      Buffer.alloc(2 * BLOCK),
    ]),
  )

/** The last folder `node_modules` says which package a row is of. */
const nameOf = (row: string): string => row.slice(row.lastIndexOf('node_modules/') + 'node_modules/'.length)

type Served = { manifest: object; archive: Buffer }

const serve = (packages: ReadonlyMap<string, Served>) => (request: IncomingMessage, response: ServerResponse) => {
  const origin = `http://${request.headers.host}`
  const wanted = decodeURIComponent(new URL(request.url ?? '', origin).pathname).slice(1)
  const archive = packages.get(wanted.replace(/\.tgz$/, ''))?.archive
  if (wanted.endsWith('.tgz') && archive) return void response.end(archive)
  const versions = [...packages].flatMap(([id, served]) => (id.startsWith(`${wanted}@`) ? [{ id, ...served }] : []))
  if (versions.length === 0) return void response.writeHead(404).end('{}')
  const described = versions.map(({ id, manifest, archive: bytes }) => {
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    return [id.slice(wanted.length + 1), { ...manifest, dist: { tarball: `${origin}/${id}.tgz`, integrity } }]
  })
  response.end(JSON.stringify({ name: wanted, 'dist-tags': {}, versions: Object.fromEntries(described) }))
}

/** A registry on loopback that has every package of a lock file, each as a manifest and programs that do nothing. */
export const startStandInRegistry = async (
  rows: Readonly<Record<string, LockedPackage>>,
): Promise<{ url: string; close(): void }> => {
  const packages = new Map(
    Object.entries(rows).flatMap(([row, { version, bin = {}, os, cpu, libc }]) => {
      if (row === '' || version === undefined) return []
      const manifest = { name: nameOf(row), version, bin, os, cpu, libc }
      return [[`${nameOf(row)}@${version}`, { manifest, archive: tarball(manifest, bin) }] as const]
    }),
  )
  const server = createServer(serve(packages))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
