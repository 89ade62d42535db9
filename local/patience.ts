/** Resolves when the work is over, however it ends, or after a while, whichever comes first. */
export const withinPatience = async (work: Promise<unknown>, milliseconds: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([Promise.allSettled([work]), patience]).finally(() => clearTimeout(timer))
}
