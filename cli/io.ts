/** Where a command reads and writes: a terminal, a pipe, or a test. */
export type Output = {
  write(text: string): unknown
  /** Absent in a pipe. */
  isTTY?: boolean | undefined
  columns?: number | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

export type Io = {
  /** What was asked for, and nothing else. */
  stdout: Output
  /** Progress, questions and errors. */
  stderr: Output
  stdin: NodeJS.ReadableStream & { isTTY?: boolean | undefined }
  env: Environment
  /** Aborted by Ctrl-C: ends waiting, never the work. */
  signal: AbortSignal
}

/** Text in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes it into files and pipes. kubectl reads both. */
export const textOf = (bytes: Buffer): string => {
  const mark = bytes.subarray(0, 2).toString('hex')
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** All of standard input, for what must not stand on a command line. */
export const readStdin = async ({ stdin }: Pick<Io, 'stdin'>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return textOf(Buffer.concat(chunks))
}
