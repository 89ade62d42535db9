import { parseArgs } from 'node:util'

/** An option is wrong. The message is for people. */
class OptionInvalid extends Error {
  override readonly name = 'OptionInvalid'
}

export type DemoOptions = {
  /** A kubeconfig whose contexts are used. */
  kubeconfig: string | undefined
  /** Which contexts, host first. */
  contexts: readonly string[] | undefined
  /** Stops after the joins, until Ctrl-C. */
  keep: boolean
}

export const HELP = `Usage: npm run demo [-- options]

Starts fedplane on this machine, registers three clusters, federates them, joins and unjoins members, and removes everything again.

Options:
  --kubeconfig FILE   use your own clusters: a context for each of three API servers. The demo makes namespaces, accounts and a
                      CustomResourceDefinition in them, and takes them away again. Without it: real API servers from
                      KUBEBUILDER_ASSETS when that is set, else simulated ones. Programs and files that FILE names are used, as kubectl does
  --contexts A,B,C    which contexts of FILE, the host first; default: the first of each API server
  --keep              stop after the joins and wait for Ctrl-C, to look around with fedplane and kubectl; then clean up
  --help              this text
`

const OPTIONS = {
  kubeconfig: { type: 'string' },
  contexts: { type: 'string' },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message.split('. ')[0] : ''
    throw new OptionInvalid(`${fault}. Run npm run demo -- --help to see what there is.`, { cause })
  }
}

/** @throws OptionInvalid for an option that is not there, with what to do */
export const readDemoOptions = (args: readonly string[]): DemoOptions | 'help' => {
  const values = parse(args)
  if (values.help) return 'help'
  if (values.contexts !== undefined && values.kubeconfig === undefined) {
    throw new OptionInvalid('--contexts needs --kubeconfig FILE.')
  }
  const contexts = values.contexts?.split(',').map((name) => name.trim())
  return { kubeconfig: values.kubeconfig, contexts, keep: values.keep }
}
