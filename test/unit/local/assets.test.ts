import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { create } from 'tar'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import sums from '../../../functions/drivers/federation/karmada/v1/crds.sha256.json' with { type: 'json' }
import { CRDS_ASSET, KARMADA_VERSION } from '../../../functions/drivers/federation/karmada/v1/model/names.ts'
import { assetsIn } from '../../../functions/runtime/asset-folder.ts'
import { ensureAssets, putAssetsBeside } from '../../../infra/assets.ts'
import { missingAssets } from '../../../local/assets/assets.ts'
import { KARMADA_CRDS_URL, karmadaCrds, makeAssets, sourceFiles } from '../../../local/assets/make-assets.ts'
import { makeMissingAssets } from '../../../local/assets/make-missing-assets.ts'
import { rejectionOf, thrownBy } from '../../support/kubernetes/leaks.ts'

const messageOf = async (work: Promise<unknown>): Promise<string> => ((await rejectionOf(work)) as Error).message

/** The release itself is not here: CRDs that stand for it, under its names, with sums of their own. */
const crd = (name: string): string =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}\n`
const standIns = (names: readonly string[]): Map<string, string> => new Map(names.map((name) => [name, crd(name)]))
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const sumsOf = (files: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...files].map(([name, text]) => [name, sumOf(text)]))
const bytesOf = (files: ReadonlyMap<string, string>) =>
  new Map([...files].map(([name, text]) => [name, Buffer.from(text)] as const))

let scratch: string
let folder: string
let archive: string
const files = standIns(Object.keys(sums))

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'fedplane-assets-'))
  folder = path.join(scratch, 'crds')
  for (const [name, text] of files) {
    const group = path.join(folder, 'bases', name.split('.')[0] ?? '')
    mkdirSync(group, { recursive: true })
    writeFileSync(path.join(group, name), text)
  }
  writeFileSync(path.join(folder, 'kustomization.yaml'), 'resources: []\n')
  archive = path.join(scratch, 'crds.tar.gz')
  await create({ gzip: true, file: archive, cwd: scratch }, ['crds'])
})
afterAll(() => rmSync(scratch, { recursive: true }))

describe('sourceFiles', () => {
  it('reads a folder, an archive and an archive at a URL alike', async () => {
    const server: Server = createServer((request, response) => {
      if (request.url === '/gone') response.writeHead(404).end()
      else response.end(readFileSync(archive))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      for (const place of [folder, archive, `${url}/crds.tar.gz`]) {
        const read = await sourceFiles(place)
        expect([...read.keys()].sort()).toEqual([...Object.keys(sums), 'kustomization.yaml'].sort())
        for (const [name, text] of files) expect(Buffer.from(read.get(name) ?? '').toString()).toBe(text)
      }
      expect(await rejectionOf(sourceFiles(`${url}/gone`))).toMatchObject({ name: 'AssetSourceInvalid' })
    } finally {
      server.close()
      server.closeAllConnections()
    }
    expect(await messageOf(sourceFiles(url))).toMatch(/can't be fetched/)
  })

  it('refuses what is no archive, and what is not there', async () => {
    const text = path.join(scratch, 'text')
    writeFileSync(text, 'not an archive '.repeat(100))
    expect(await messageOf(sourceFiles(text))).toMatch(/text is no tar archive/)
    expect(await messageOf(sourceFiles(path.join(scratch, 'nowhere')))).toMatch(/nothing at .*nowhere/)
  })
})

describe('karmadaCrds', () => {
  it('knows the 19 CRDs of the release', () => {
    expect(Object.keys(sums)).toHaveLength(19)
    for (const sum of Object.values(sums)) expect(sum).toMatch(/^[0-9a-f]{64}$/)
    expect(KARMADA_CRDS_URL).toContain(`/v${KARMADA_VERSION}/`)
  })

  it('makes the same small file of the same CRDs, whatever else lies beside them', () => {
    const more = new Map([...[...files].reverse(), ['kustomization.yaml', 'resources: []']] as const)
    const made = karmadaCrds(bytesOf(files), sumsOf(files))
    expect(Buffer.from(karmadaCrds(bytesOf(more), sumsOf(files))).equals(Buffer.from(made))).toBe(true)
    const crds = JSON.parse(gunzipSync(made).toString()) as { metadata: { name: string } }[]
    expect(crds.map(({ metadata }) => metadata.name)).toEqual(Object.keys(sums))
  })

  it('refuses a CRD with another sum, one that is missing, and what is no CRD, naming the file', () => {
    const [name = ''] = files.keys()
    const make = (text: string | undefined, wanted = sumsOf(files)) => {
      const changed = new Map(files)
      if (text === undefined) changed.delete(name)
      else changed.set(name, text)
      return thrownBy(() => karmadaCrds(bytesOf(changed), wanted))
    }
    expect(make(`${files.get(name)}# more`)).toMatchObject({ name: 'AssetSourceInvalid' })
    expect((make(`${files.get(name)}# more`) as Error).message).toContain(`${name} is not the one of Karmada`)
    expect((make(undefined) as Error).message).toContain(`lack ${name}`)
    const other = 'kind: Other\n'
    expect((make(other, { ...sumsOf(files), [name]: sumOf(other) }) as Error).message).toContain(`${name} is no CRD`)
  })
})

describe('assets of an installation', () => {
  it('are not made of CRDs that are not the release, and then nothing is there', async () => {
    const assetsFolder = path.join(scratch, 'refused')
    const [first] = Object.keys(sums)
    for (const make of [
      () => makeAssets({ assetsFolder, karmadaCrds: folder }),
      () => makeMissingAssets({ assetsFolder, karmadaCrds: archive }),
      () => ensureAssets({ assetsFolder, karmadaCrds: folder, tell: () => undefined }),
    ]) {
      expect(await messageOf(make())).toContain(`${first} is not the one of Karmada`)
    }
    expect(existsSync(assetsFolder)).toBe(false)
  })

  it('may be missing at a start, and are not made again when they are there', async () => {
    const assetsFolder = path.join(scratch, 'there')
    await makeMissingAssets({ assetsFolder })
    expect(missingAssets(assetsFolder)).toEqual([CRDS_ASSET])
    mkdirSync(assetsFolder)
    writeFileSync(path.join(assetsFolder, CRDS_ASSET), 'made before')
    await makeMissingAssets({ assetsFolder, karmadaCrds: folder })
    await ensureAssets({ assetsFolder, karmadaCrds: folder, tell: () => undefined })
    expect(missingAssets(assetsFolder)).toEqual([])
  })

  it('are put beside bundles, and what was there before is not left', () => {
    const [assetsFolder, bundle] = [path.join(scratch, 'source'), path.join(scratch, 'bundle')]
    mkdirSync(assetsFolder)
    mkdirSync(path.join(bundle, 'assets'), { recursive: true })
    writeFileSync(path.join(bundle, 'assets', 'karmada-crds-1.0.0.json.gz'), 'old')
    putAssetsBeside([bundle], assetsFolder)
    expect(existsSync(path.join(bundle, 'assets'))).toBe(false)
    writeFileSync(path.join(assetsFolder, CRDS_ASSET), 'new')
    putAssetsBeside([bundle], assetsFolder)
    expect(readdirSync(path.join(bundle, 'assets'))).toEqual([CRDS_ASSET])
  })
})

describe('assetsIn', () => {
  it('reads a file once it is there, and says what to do when it is not', async () => {
    const place = path.join(scratch, 'read')
    const asset = assetsIn(place, 'Run npm run assets.')
    expect(await rejectionOf(asset('a.json'))).toMatchObject({
      name: 'AssetMissing',
      message: 'The file a.json does not come with this installation. Run npm run assets.',
    })
    mkdirSync(place)
    writeFileSync(path.join(place, 'a.json'), 'content')
    expect(Buffer.from(await asset('a.json')).toString()).toBe('content')
  })

  it.each(['../secret', '.', '', 'a/b', 'A\0'])('refuses the name %j', async (name) => {
    expect(await messageOf(assetsIn(scratch, 'x')(name))).toMatch(/is not the name of a file/)
  })
})
