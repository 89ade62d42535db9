const LETTERS = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'epsilon',
  'zeta',
  'eta',
  'theta',
  'iota',
  'kappa',
  'lambda',
  'mu',
  'nu',
  'xi',
  'omicron',
  'pi',
  'rho',
  'sigma',
  'tau',
  'upsilon',
  'phi',
  'chi',
  'psi',
  'omega',
]

/**
 * The name of something that was made without one: `<greek letter>-<1..24>-<noun>` like Magnum's. Taken from the random end of the id,
 * so that it needs no random source of its own.
 */
export const generatedName = (id: string, noun: 'cluster' | 'federation' | 'template'): string => {
  const random = Number.parseInt(id.slice(-6), 16)
  const letter = LETTERS[random % LETTERS.length] ?? 'alpha'
  return `${letter}-${(Math.floor(random / LETTERS.length) % 24) + 1}-${noun}`
}
