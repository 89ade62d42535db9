/** `1 member`, `2 members`: a number with its regular noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The sentence without its full stop, to go on inside of another one. */
export const withoutFullStop = (sentence: string): string => sentence.replace(/\.+$/, '')
