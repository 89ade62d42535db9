import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../../local/clusters/programs.ts'
import { until } from '../../support/local/engine-lab.ts'
import { virtualEnvironment } from '../../support/python/virtual-environment.ts'

const FOLDER = path.resolve(import.meta.dirname, '../ministack')
/** Its functions run with the first `node` of the path: ours is Node 24. */
const BIN = path.resolve(import.meta.dirname, '../../../node_modules/.bin')

export const ACCOUNT = '111122223333'
export const REGION = 'eu-central-1'

/** An emulator of AWS on loopback, without Docker; nothing in it outlives `close`. */
export type Emulator = {
  port: number
  /** For the SDK and the CDK CLI: this account and Region at this endpoint, whatever the caller's shell says. */
  environment: Record<string, string>
  /** What it and the functions in it have written. */
  log(): Promise<string>
  close(): Promise<void>
}

const READY_MS = 60_000

/** The functions get this whole environment, so it holds nothing of the caller's. */
const environmentOf = (port: number, folder: string): Record<string, string> => ({
  HOME: folder,
  PATH: `${BIN}:${process.env.PATH ?? ''}`,
  TMPDIR: path.join(folder, 'lambda'),
  LANG: 'C.UTF-8',
  BIND_HOST: '127.0.0.1',
  GATEWAY_PORT: String(port),
  IOT_MTLS_ENABLED: '0',
  SFTP_ENABLED: '0',
  MINISTACK_ACCOUNT_ID: ACCOUNT,
  MINISTACK_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  // Functions have their roles' rights, and no more.
  AUTH: 'true',
})

const clientEnvironment = (port: number): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(AWS_|FEDPLANE_|CDK_|NODE_|VITEST)/.test(name) ? [] : [[name, value]],
    ),
  ),
  AWS_ENDPOINT_URL: `http://localhost:${port}`,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: REGION,
  AWS_EC2_METADATA_DISABLED: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CI: 'true',
})

const answers = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://localhost:${port}/_ministack/health`)).ok
  } catch {
    return false
  }
}

const requireAlive = (child: ChildProcess, said: string): void => {
  if (child.exitCode === null && child.signalCode === null) return
  throw new Error(`The emulator ended: ${said}`)
}

/** Starts MiniStack with `ministack/launcher.py`. @throws PythonUnavailable, or what it said when it ended at once */
export const startEmulator = async (): Promise<Emulator> => {
  const python = path.join(
    await virtualEnvironment({ requirements: path.join(FOLDER, 'requirements.txt') }),
    'bin/python',
  )
  const [folder, port] = await Promise.all([mkdtemp(path.join(tmpdir(), 'fedplane-deploy-')), freePort()])
  await mkdir(path.join(folder, 'lambda'))
  const logFile = path.join(folder, 'emulator.log')
  const log = await open(logFile, 'a')
  const child = spawn(python, [path.join(FOLDER, 'launcher.py')], {
    env: environmentOf(port, folder),
    stdio: ['ignore', log.fd, log.fd],
  })
  const ended = once(child, 'close')
  const close = async (): Promise<void> => {
    // Ends its node workers, too.
    child.kill('SIGTERM')
    await ended
    await log.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until(async () => {
      requireAlive(child, await readFile(logFile, 'utf8'))
      return answers(port)
    }, READY_MS)
  } catch (error) {
    await close()
    throw error
  }
  return { port, environment: clientEnvironment(port), log: () => readFile(logFile, 'utf8'), close }
}
