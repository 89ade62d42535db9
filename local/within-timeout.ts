/** Resolves when the work is over, however it ends, or after a while, whichever comes first. */
export const withinTimeout = async (work: Promise<unknown>, milliseconds: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([Promise.allSettled([work]), timeout]).finally(() => clearTimeout(timer))
}
