/** Why something ended: `reason` is the name of an error or another CamelCase constant, `message` whole sentences without secrets. */
export type Failure = { reason: string; message: string }

/** `<reason>: <message>`, as `status_reason` shows it. */
export const describeFailure = (failure: Failure): string => `${failure.reason}: ${failure.message}`

/** The failure with what could not be taken back after it in its message. */
export const noted = ({ reason, message }: Failure, notes: readonly string[]): Failure => ({
  reason,
  message: [message, ...(notes.length > 0 ? [`Not undone: ${notes.join('; ')}.`] : [])].join(' '),
})
