import { spawn } from 'node:child_process'
import { programOf } from '../../e2e/karmada/support/kube.ts'

export type Run = { cpuSeconds: number; calls: number }

/** A run of karmadactl: its processor time by bash, its calls by its own log. @throws Error with what it said */
export const karmadactl = (kubeconfig: string, ...args: readonly string[]): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      'bash',
      [
        '-c',
        'TIMEFORMAT="cpu %U %S"; time "$@"',
        'bash',
        programOf('karmadactl'),
        '--kubeconfig',
        kubeconfig,
        ...args,
        '-v=6',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code !== 0) {
        reject(new Error(`karmadactl ${args.join(' ')} ended with ${code}: ${said.slice(-600)}`))
        return
      }
      const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(said) ?? []
      resolve({
        cpuSeconds: Number(user) + Number(system),
        calls: (said.match(/"Response" verb=|round_trippers\.go.* \d{3} /g) ?? []).length,
      })
    })
  })
