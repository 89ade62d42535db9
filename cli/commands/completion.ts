import { Argument, type Command, Command as Verb } from 'commander'
import { isShownAsIs } from '../../functions/core/values/wording.ts'
import type { Io } from '../io.ts'
import { loadKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { readProfiles } from '../profiles/profile-file.ts'
import { connect, withExamples } from './options.ts'

/**
 * Completion as cobra does it: the shell's script asks this program for each word, so that it knows the names of federations, clusters and contexts too.
 * Each line of the answer is a candidate.
 */

// No `compgen -W`: it expands what it is given, and would run a context called `$(…)`. Each candidate is quoted, since bash inserts it as it is.
const BASH = `_fedplane() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("$(printf %q "$candidate")")
  done < <(fedplane __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _fedplane fedplane
`
const ZSH = `#compdef fedplane
_fedplane() {
  local -a candidates
  candidates=("\${(@f)$(fedplane __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _fedplane fedplane
`
const FISH = `complete -c fedplane -f -a '(fedplane __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`
const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }

/** The longest a shell waits for names of a server, milliseconds. */
const NAMES_MS = 1_500

type Named = { name: string }

const namesOf = async (io: Io, path: string, list: string): Promise<string[]> => {
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(NAMES_MS)])
  const api = await connect({ ...io, signal }, {})
  return (await api.get<Record<string, Named[]>>(path, { limit: 200 }))[list]?.map(({ name }) => name) ?? []
}

/** Where the names of an argument or of an option's value come from. */
const SOURCES: Readonly<Record<string, (io: Io) => Promise<string[]> | string[]>> = {
  federation: (io) => namesOf(io, '/federations', 'federations'),
  cluster: (io) => namesOf(io, '/clusters', 'clusters'),
  template: (io) => namesOf(io, '/clustertemplates', 'clustertemplates'),
  trigger: (io) => namesOf(io, '/triggers', 'triggers'),
  context: (io) => [...loadKubeconfig(io.env).contexts.keys()],
  profile: (io) => Object.keys(readProfiles(io.env).profiles),
}
const OPTION_SOURCES: Readonly<Record<string, string>> = {
  '--member': 'cluster',
  '--host': 'cluster',
  '--template': 'template',
  '--context': 'context',
  '--join': 'context',
  '--profile': 'profile',
}

const hasValue = (command: Command, flag: string): boolean =>
  command.options.some(
    ({ long, short, required, optional }) => (long === flag || short === flag) && (required || optional),
  )

type Place = { command: Command; positionals: number; option: string | undefined }

/** Which command the words lead to, and what the last of them is. */
const placeOf = (program: Command, words: readonly string[]): Place => {
  let place: Place = { command: program, positionals: 0, option: undefined }
  for (const word of words) {
    if (place.option !== undefined) place = { ...place, option: undefined }
    else if (word.startsWith('-')) place = { ...place, option: hasValue(place.command, word) ? word : undefined }
    else place = stepInto(place, word)
  }
  return place
}

const stepInto = (place: Place, word: string): Place => {
  const child = place.command.commands.find((each) => each.name() === word || each.aliases().includes(word))
  return child
    ? { command: child, positionals: 0, option: undefined }
    : { ...place, positionals: place.positionals + 1 }
}

/** The option or argument whose value comes next. */
const wanted = ({
  command,
  positionals,
  option,
}: Place): { choices?: readonly string[] | undefined; source?: string | undefined } => {
  if (option !== undefined) {
    const { argChoices } = command.options.find(({ long, short }) => long === option || short === option) ?? {}
    return { choices: argChoices, source: OPTION_SOURCES[option] }
  }
  const known = command.registeredArguments
  const argument = known[positionals] ?? (known.at(-1)?.variadic ? known.at(-1) : undefined)
  return { choices: argument?.argChoices, source: argument?.name() }
}

const candidates = async (io: Io, program: Command, words: readonly string[]): Promise<readonly string[]> => {
  const current = words.at(-1) ?? ''
  const place = placeOf(program, words.slice(0, -1))
  const { command, option } = place
  if (option === undefined && current.startsWith('-')) return command.options.flatMap(({ long }) => long ?? [])
  if (option === undefined && command.commands.length > 0) return command.commands.map((child) => child.name())
  const { choices, source } = wanted(place)
  // A server that does not answer has no names to offer, and a shell shows no error.
  return choices ?? (await Promise.resolve(SOURCES[source ?? '']?.(io) ?? []).catch(() => []))
}

/** `fedplane completion`, and what its scripts call. */
export const addCompletion = (io: Io, program: Command): void => {
  program.addCommand(
    withExamples(
      new Verb('completion').copyInheritedSettings(program),
      'eval "$(fedplane completion bash)"',
      'fedplane completion zsh > ~/.zfunc/_fedplane',
      'fedplane completion fish > ~/.config/fish/completions/fedplane.fish',
    )
      .description('Print the completion script of a shell.')
      .addArgument(new Argument('<shell>', 'shell that completes').choices(Object.keys(SCRIPTS)))
      .action((shell: string) => void io.stdout.write(SCRIPTS[shell] ?? '')),
  )
  program.addCommand(
    new Verb('__complete')
      .copyInheritedSettings(program)
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(async (words: string[]) => {
        const found = await candidates(io, program, words)
        const current = words.at(-1) ?? ''
        io.stdout.write(
          found
            // One with a line break would be two candidates, and no shell shows the others as they are.
            .filter((word) => word.startsWith(current) && !word.startsWith('__') && isShownAsIs(word))
            .map((word) => `${word}\n`)
            .join(''),
        )
      }),
    { hidden: true },
  )
}
