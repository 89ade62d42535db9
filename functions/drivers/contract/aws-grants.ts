import type { AwsGrant } from './aws-access.ts'

/** `<project>=<ARN>`, or an ARN that every project may use. No project's id has a comma or begins with `arn:`. */
const ENTRY = /^(?:([^=]+)=)?(arn:[^=]+(?:=.*)?)$/

/**
 * What projects may use of AWS, from a list separated by commas: entries `<project>=<ARN>` for one project, `<ARN>` for all.
 *
 * @throws TypeError naming the entry that is neither
 */
export const awsGrants = (text: string): AwsGrant[] =>
  text.split(',').flatMap((part) => {
    const entry = part.trim()
    if (entry === '') return []
    const [, projectId, arn] = ENTRY.exec(entry) ?? []
    if (arn === undefined) throw new TypeError(`${JSON.stringify(entry)} is neither an ARN nor <project>=<ARN>.`)
    return [{ projectId: projectId ?? null, arn }]
  })
