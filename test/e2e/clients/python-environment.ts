import path from 'node:path'
import { virtualEnvironment } from '../../support/python/virtual-environment.ts'

const FOLDER = path.join(import.meta.dirname, 'python')

/** The variables of this process, without those that tell a Python program or an OpenStack client something else than the test does. */
export const cleanEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(OS_|PYTHON|VIRTUAL_ENV|SCHEMATHESIS)/.test(name) ? [] : [[name, value]],
    ),
  ),
  no_proxy: '127.0.0.1',
  NO_PROXY: '127.0.0.1',
})

/** A virtual environment with the packages of `python/requirements.txt`. */
export type PythonEnvironment = {
  python: string
  /** `openstack coe …` */
  openstack: string
  schemathesis: string
  /** For PYTHONPATH: the package of `python/older-client.txt`. */
  olderClient: string
}

/** Made by the first who asks, in about half a minute. @throws PythonUnavailable */
export const pythonEnvironment = async (): Promise<PythonEnvironment> => {
  const folder = await virtualEnvironment({
    requirements: path.join(FOLDER, 'requirements.txt'),
    targets: { 'older-client': path.join(FOLDER, 'older-client.txt') },
  })
  const program = (name: string): string => path.join(folder, 'bin', name)
  return {
    python: program('python'),
    openstack: program('openstack'),
    schemathesis: program('schemathesis'),
    olderClient: path.join(folder, 'older-client'),
  }
}
