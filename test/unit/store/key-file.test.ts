import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyFileService } from '../../../local/keys/key-file.ts'

const context = { project: 'blue' }

describe('keyFileService', () => {
  let directory: string
  let path: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fedplane-test-'))
    path = join(directory, 'data', 'key')
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await rm(directory, { recursive: true })
  })

  it('makes a file of 32 bytes that only its owner can read, and leaves nothing else', async () => {
    await keyFileService(path)
    const { mode, size } = await stat(path)
    expect([mode & 0o777, size]).toEqual([0o600, 32])
    expect(await readdir(join(directory, 'data'))).toEqual(['key'])
  })

  it('opens after a restart what it wrapped before', async () => {
    const { plaintext, wrapped } = await (await keyFileService(path)).generateDataKey(context)
    expect(plaintext).toHaveLength(32)
    expect(Buffer.from(wrapped).includes(Buffer.from(plaintext))).toBe(false)
    expect(await (await keyFileService(path)).decrypt(wrapped, context)).toEqual(plaintext)
  })

  it('made by ten at once is one key', async () => {
    const services = await Promise.all(Array.from({ length: 10 }, () => keyFileService(path)))
    const { plaintext, wrapped } = await services[0]!.generateDataKey(context)
    for (const service of services) expect(await service.decrypt(wrapped, context)).toEqual(plaintext)
    expect(await readdir(join(directory, 'data'))).toEqual(['key'])
  })

  it('opens nothing for another context, of another file, or altered', async () => {
    const service = await keyFileService(path)
    const other = await keyFileService(join(directory, 'other'))
    const { wrapped } = await service.generateDataKey(context)
    const unreadable = { name: 'CredentialUnreadable' }
    await expect(service.decrypt(wrapped, { project: 'green' })).rejects.toMatchObject(unreadable)
    await expect(other.decrypt(wrapped, context)).rejects.toMatchObject(unreadable)
    await expect(service.decrypt(wrapped.slice(1), context)).rejects.toMatchObject(unreadable)
    await expect(service.decrypt(new Uint8Array(), context)).rejects.toMatchObject(unreadable)
  })

  it.each([0o640, 0o604, 0o660, 0o666])('refuses a file that others can use (%o)', async (mode) => {
    await keyFileService(path)
    await chmod(path, mode)
    await expect(keyFileService(path)).rejects.toMatchObject({ name: 'KeyFileUnusable' })
  })

  it('refuses a file of another user, whatever its mode', async () => {
    await keyFileService(path)
    const { uid } = await stat(path)
    vi.spyOn(process, 'getuid').mockReturnValue(uid + 1)
    await expect(keyFileService(path)).rejects.toMatchObject({
      name: 'KeyFileUnusable',
      message: expect.stringContaining(`belongs to another user (uid ${uid})`),
    })
  })

  it.each([0, 31, 33])('refuses a file of %i bytes, and leaves it alone', async (size) => {
    await writeFile(join(directory, 'short'), Buffer.alloc(size), { mode: 0o600 })
    await expect(keyFileService(join(directory, 'short'))).rejects.toMatchObject({ name: 'KeyFileUnusable' })
    expect((await stat(join(directory, 'short'))).size).toBe(size)
  })

  it('says so when it can not be made', async () => {
    // The draft's name is longer than a file's may be.
    await expect(keyFileService(join(directory, 'k'.repeat(250)))).rejects.toMatchObject({
      name: 'KeyFileUnusable',
      message: expect.stringContaining("can't be made"),
    })
  })

  it('refuses what is no file', async () => {
    await expect(keyFileService(directory)).rejects.toMatchObject({ name: 'KeyFileUnusable' })
  })
})
